import { SpanKind } from '@opentelemetry/api';
import type { InternalCall, ServiceName } from '@tollgate/contracts';
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { SecretBox } from '../crypto/secret-box.js';
import { AppError } from '../errors/app-error.js';
import { inFreshContext } from '../context/fresh-context.js';
import { currentRequestId, currentTraceparent } from '../context/request-scope.js';
import { TRACEPARENT_HEADER } from '../context/trace-context.js';
import { inSpan } from '../tracing/tracing.js';
import { REQUEST_ID_HEADER, REVISIONS_HEADER, SERVICE_HEADER, SERVICE_PURPOSE } from './caller.js';

/**
 * JSON calls between services. An `AppError` that the called service throws is thrown here as well; no reply becomes one of kind
 * `unavailable`.
 */
export abstract class InternalClient {
  abstract call<Input extends z.ZodType, Output extends z.ZodType>(
    call: InternalCall<Input, Output>,
    input: z.input<Input>,
  ): Promise<z.output<Output>>;
}

/** Refusals that say nothing of the data: an older replica without the route, another key or clock, another process at the address. */
const OF_THE_DEPLOYMENT: ReadonlySet<string> = new Set(['unknown-path', 'service-unknown']);

/** The error for people and calls that depend on a process with another key, clock or version. */
export const notAccepted = (code = 'service-unknown', details: AppError['details'] = {}): AppError =>
  new AppError(
    'unavailable',
    code,
    '系统内部的调用未被接受，请稍后重试；若一直如此，请检查各进程的密钥、时钟和版本是否一致',
    details,
  );

/**
 * The error that the called service threw, restored from its reply. A refusal that is the deployment's fault is of kind
 * `unavailable`, so that an event whose handler made the call is tried again and not set aside.
 */
export const appErrorOf = (body: unknown): AppError => {
  const {
    kind = 'internal',
    code = 'internal',
    message = 'internal call failed',
    params,
    fields,
    retryAfter,
  } = body as Partial<AppError> & AppError['details'];
  const details = { params, fields, retryAfter };
  if (OF_THE_DEPLOYMENT.has(code)) return notAccepted(code, details);
  return new AppError(kind, code, message, details);
};

/** The reply in the shape that this version expects. Another shape is another version's, and so no fault of the data. */
export function replyOf<Output extends z.ZodType>(
  call: InternalCall<z.ZodType, Output>,
  body: unknown,
): z.output<Output> {
  const read = call.output.safeParse(body);
  if (read.success) return read.data;
  throw unreachableService(call.service, read.error);
}

export const unreachableService = (service: ServiceName, cause?: unknown): AppError =>
  new AppError('unavailable', 'service-unreachable', '服务暂不可用，请稍后重试', { params: { service }, cause });

/** Options of the span around a call to another service. */
export const asking = ({ service }: InternalCall): Parameters<typeof inSpan>[1] => ({
  kind: SpanKind.CLIENT,
  attributes: { 'peer.service': service },
});

const PASS_SECONDS = 30;
/** A signature is reused for this long, well below its lifetime, to avoid signing every call. */
const RENEW_AFTER_SECONDS = 5;

/** Headers that authenticate one service to another by a short-lived signature, and name the request that the call belongs to. */
export class CallPass {
  private header = '';
  private renewAt = 0;

  constructor(
    private readonly secrets: SecretBox,
    private readonly source: ServiceName,
    /** Revisions that the answering service must have at least. */
    private readonly seen?: { readonly header: string },
  ) {}

  headers(): Record<string, string> {
    const now = Math.floor(Date.now() / 1000);
    if (now >= this.renewAt || now < this.renewAt - RENEW_AFTER_SECONDS) {
      this.header = this.secrets.sign(SERVICE_PURPOSE, { service: this.source, exp: now + PASS_SECONDS });
      this.renewAt = now + RENEW_AFTER_SECONDS;
    }
    const requestId = currentRequestId();
    const traceparent = currentTraceparent();
    return {
      [SERVICE_HEADER]: this.header,
      ...(this.seen && this.seen.header !== '' && { [REVISIONS_HEADER]: this.seen.header }),
      ...(requestId !== undefined && { [REQUEST_ID_HEADER]: requestId }),
      ...(traceparent !== undefined && { [TRACEPARENT_HEADER]: traceparent }),
    };
  }
}

/** Calls the routes of the owner's Fastify instance without a socket. Calls to services that do not run here go to `elsewhere`. */
export class InProcessInternalClient extends InternalClient {
  constructor(
    private readonly instances: ReadonlyMap<ServiceName, FastifyInstance>,
    private readonly pass: CallPass,
    private readonly elsewhere: InternalClient,
  ) {
    super();
  }

  async call<Input extends z.ZodType, Output extends z.ZodType>(
    call: InternalCall<Input, Output>,
    input: z.input<Input>,
  ): Promise<z.output<Output>> {
    const instance = this.instances.get(call.service);
    if (!instance) return this.elsewhere.call(call, input);
    return inSpan(`ask ${call.name}`, asking(call), async () => {
      const headers = { 'content-type': 'application/json', ...this.pass.headers() };
      const payload = JSON.stringify(input);
      const reply = await inFreshContext(() =>
        instance.inject({ method: 'POST', url: `/internal/${call.name}`, headers, payload }),
      );
      const body: unknown = JSON.parse(reply.payload);
      if (reply.statusCode !== 200) throw appErrorOf(body);
      return call.output.parse(body);
    });
  }
}
