import {
  type Attributes,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import type { Env } from '../config/env.js';
import { currentScope, inRequest } from '../context/request-scope.js';
import { remoteSpanOf, traceparentOf } from '../context/trace-context.js';

/** What this process exports spans with; undefined while nobody collects them, and then no span is made at all. */
let tracer: Tracer | undefined;

export const isTracing = (): boolean => tracer !== undefined;

export interface Tracing {
  /** Sends what is left. */
  stop(): Promise<void>;
}

/**
 * Exports spans by OTLP over HTTP when `OTEL_EXPORTER_OTLP_ENDPOINT` is set; the other variables of the exporter, such as
 * `OTEL_EXPORTER_OTLP_HEADERS`, are read by itself. The packages are loaded only then. Nothing about the machine is looked up.
 */
export async function startTracing(env: Env, serviceName: string, version: string): Promise<Tracing | undefined> {
  if (env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined || env.OTEL_SDK_DISABLED === 'true') return undefined;
  const [sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const url = `${env.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/$/, '')}/v1/traces`;
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({
      'service.namespace': 'tollgate',
      'service.name': env.OTEL_SERVICE_NAME ?? serviceName,
      'service.version': version,
      'service.instance.id': `${process.pid}`,
    }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(env.OTEL_TRACES_SAMPLER_ARG) }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url }) })],
  });
  tracer = provider.getTracer('tollgate', version);
  return {
    async stop() {
      tracer = undefined;
      await provider.shutdown();
    },
  };
}

interface SpanOptions {
  kind?: SpanKind;
  attributes?: Attributes;
  /** The other spans that this one goes back to. */
  links?: Link[];
}

/** The span of a request that came from outside this process, below whatever its sender traced. */
export function serverSpan(
  name: string,
  headers: Parameters<typeof traceparentOf>[0],
  attributes: Attributes,
): Span | undefined {
  if (!tracer) return undefined;
  const traceparent = traceparentOf(headers);
  const parent =
    traceparent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remoteSpanOf(traceparent));
  return tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
}

/** Of a request that was answered with `status`. */
export function endSpan(span: Span | undefined, status: number): void {
  if (!span) return;
  span.setAttribute('http.response.status_code', status);
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** Does the work as a span below the current one; without tracing it is only done. */
export const inSpan = <T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> =>
  tracer ? spanned(tracer, { name, ...options }, work) : work();

async function spanned<T>(
  by: Tracer,
  { name, kind, ...options }: SpanOptions & { name: string },
  work: () => Promise<T>,
): Promise<T> {
  const scope = currentScope();
  const parent = scope?.span ? trace.setSpan(ROOT_CONTEXT, scope.span) : ROOT_CONTEXT;
  const span = by.startSpan(name, { kind: kind ?? SpanKind.INTERNAL, ...options }, parent);
  try {
    return await inRequest({ ...(scope && { id: scope.id }), span }, work);
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'error' });
    throw error;
  } finally {
    span.end();
  }
}

/** Notes a fact on the current span, if there is one. */
export function noteOnSpan(attributes: Attributes): void {
  if (tracer) currentScope()?.span?.setAttributes(attributes);
}
