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
import type { Resource } from '@opentelemetry/resources';
import type { Env } from '../config/env.js';
import { currentScope, inRequest } from '../context/request-scope.js';
import { remoteSpanOf, traceparentOf } from '../context/trace-context.js';
import { exportLogs } from '../log/log-export.js';
import { OutsideSampler } from './outside-sampler.js';

/** The tracer of this process; `undefined` when no collector is configured, and then no spans are created at all. */
let tracer: Tracer | undefined;
/** Limits the traces that outside senders may demand. */
let outsideSampler = new OutsideSampler(0);

export const isTracing = (): boolean => tracer !== undefined;

interface Tracing {
  /** Exports the remaining spans and lines. */
  stop(): Promise<void>;
}

/**
 * Exports spans and log lines by OTLP over HTTP when `OTEL_EXPORTER_OTLP_ENDPOINT` is set; the exporters read their other variables too,
 * such as `OTEL_EXPORTER_OTLP_HEADERS` and `OTEL_RESOURCE_ATTRIBUTES`. The packages are loaded only then. No attributes of the machine are
 * detected.
 */
export async function startTracing(env: Env, serviceName: string, version: string): Promise<Tracing | undefined> {
  if (env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined || env.OTEL_SDK_DISABLED) return undefined;
  const [sdk, { OTLPTraceExporter }, { detectResources, envDetector, resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const origin = env.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/$/, '');
  const named = resourceFromAttributes({
    'service.namespace': 'tollgate',
    'service.name': env.OTEL_SERVICE_NAME ?? serviceName,
    'service.version': version,
    'service.instance.id': `${process.pid}`,
  });
  const resource = detectResources({ detectors: [envDetector] }).merge(named);
  const provider = new sdk.TracerProvider({
    resource,
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(env.OTEL_TRACES_SAMPLER_ARG) }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: `${origin}/v1/traces` }) })],
  });
  tracer = provider.getTracer('tollgate', version);
  outsideSampler = new OutsideSampler(env.OTEL_TRACES_SAMPLER_ARG);
  const logs = env.OTEL_LOGS_EXPORTER === 'otlp' ? await startLogs(`${origin}/v1/logs`, resource) : undefined;
  return {
    async stop() {
      tracer = undefined;
      await provider.shutdown();
      await logs?.stop();
    },
  };
}

async function startLogs(url: string, resource: Resource): Promise<Tracing> {
  const [{ BatchLogRecordProcessor, LoggerProvider }, { OTLPLogExporter }] = await Promise.all([
    import('@opentelemetry/sdk-logs'),
    import('@opentelemetry/exporter-logs-otlp-http'),
  ]);
  const processors = [new BatchLogRecordProcessor({ exporter: new OTLPLogExporter({ url }) })];
  const provider = new LoggerProvider({ resource, processors });
  const logger = provider.getLogger('tollgate');
  exportLogs((record) => logger.emit(record));
  return {
    async stop() {
      exportLogs(undefined);
      await provider.shutdown();
    },
  };
}

interface SpanOptions {
  kind?: SpanKind;
  attributes?: Attributes;
  /** Other spans that led to this one. */
  links?: Link[];
}

interface Sender {
  headers: Parameters<typeof traceparentOf>[0];
  /** Whether one of our processes sent the request, which has then made the sampling decision. */
  isOurs: () => boolean;
}

/** The span of a request from outside this process, as a child of the span its sender stated. */
export function serverSpan(name: string, { headers, isOurs }: Sender, attributes: Attributes): Span | undefined {
  if (!tracer) return undefined;
  const traceparent = traceparentOf(headers);
  if (traceparent === undefined) return tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, ROOT_CONTEXT);
  const sent = remoteSpanOf(traceparent);
  const traceFlags = isOurs() ? sent.traceFlags : outsideSampler.flags(sent.traceFlags, performance.now());
  const parent = trace.setSpanContext(ROOT_CONTEXT, { ...sent, traceFlags });
  return tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
}

/** Ends the span of a request that was answered with `status`. */
export function endSpan(span: Span | undefined, status: number): void {
  if (!span) return;
  span.setAttribute('http.response.status_code', status);
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** Runs the work in a span below the current one; without tracing the work just runs. */
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

/** Sets attributes on the current span, if there is one. */
export function noteOnSpan(attributes: Attributes): void {
  if (tracer) currentScope()?.span?.setAttributes(attributes);
}
