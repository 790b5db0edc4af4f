import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { ErrorKind, ErrorReply } from '@tollgate/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors/app-error.js';
import { isOutage } from '../errors/outage.js';
import type { Logger } from '../log/logger.js';
import type { RouteContext } from './route.js';
import { INVALID_INPUT } from './validation.js';

/** The console reads `success` and `kind` from the body; other clients need an HTTP status for these kinds only. */
const STATUS: Partial<Record<ErrorKind, number>> = {
  unauthenticated: 401,
  'rate-limited': 429,
  unavailable: 503,
  internal: 500,
};

@Catch()
export class EnvelopeFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    // A consumer's failure must reach the event transport, which distinguishes invalid events from outages.
    if (host.getType() !== 'http') throw error;
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const context = (request.routeOptions?.config ?? {}) as RouteContext;
    // Log the path without its query, which may hold a key.
    const [path] = request.url.split('?');
    const failure = toAppError(error, request.id, context.row?.unreadable);
    if (failure.kind === 'internal') this.logger.error('unexpected failure', { error, requestId: request.id, path });
    else if (failure.kind === 'unavailable' && failure !== error)
      this.logger.warn('a server that a request needs is away', { error, requestId: request.id, path });
    const status = failure.details.status ?? documentedStatus(failure, context) ?? STATUS[failure.kind] ?? 200;
    if (failure.details.retryAfter !== undefined)
      void reply.header('retry-after', String(Math.ceil(failure.details.retryAfter)));
    void reply.status(status).send(bodyFor(failure, context));
  }
}

/** The HTTP status of a failure. A call may document its own status for bodies that cannot be read. */
const documentedStatus = (failure: AppError, { row, internal }: RouteContext): number | undefined => {
  if (internal !== undefined) return failure.kind === 'internal' ? 500 : 422;
  return failure.kind === 'invalid' ? row?.invalidStatus : undefined;
};

function bodyFor(failure: AppError, { row, internal }: RouteContext): object {
  const reply = toErrorReply(failure, internal !== undefined);
  const isInData = row?.refusedInData && failure.kind === 'invalid';
  return isInData ? { ...reply, message: 'error', data: reply.message } : reply;
}

/** An error in the form of a reply. `withDetails` adds `retryAfter` in seconds; only internal callers get it in the body. */
export function toErrorReply(
  { kind, code, message, details }: AppError,
  withDetails = false,
): ErrorReply & { retryAfter?: number } {
  const fields = details.fields ?? (details.field !== undefined ? [{ path: details.field, code }] : undefined);
  return {
    success: false,
    message,
    code,
    kind,
    ...(details.params && { params: details.params }),
    ...(fields && { fields }),
    ...(withDetails && details.retryAfter !== undefined && { retryAfter: details.retryAfter }),
  };
}

/**
 * Turns any error into an `AppError`. Unreadable bodies and outages have kinds of their own; the rest are bugs, whose text goes to the log
 * only.
 */
export function toAppError(error: unknown, requestId: string, unreadable = INVALID_INPUT): AppError {
  if (error instanceof AppError) return error;
  const status = statusOf(error);
  if (status === 413) return new AppError('invalid', 'body-too-large', '请求体过大', { status: 413, cause: error });
  if (status === 404) return new AppError('not-found', 'unknown-path', '接口不存在', { status: 404, cause: error });
  if (status !== undefined && status >= 400 && status < 500)
    return new AppError('invalid', 'unreadable-body', unreadable, { cause: error });
  if (isOutage(error))
    return new AppError('unavailable', 'service-unreachable', '服务暂不可用，请稍后重试', {
      cause: error,
      retryAfter: 2,
    });
  return new AppError('internal', 'internal', `系统内部错误，请联系管理员 (request id: ${requestId})`, {
    cause: error,
    params: { requestId },
  });
}

function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  const status = (error as { statusCode?: unknown } | undefined)?.statusCode;
  return typeof status === 'number' ? status : undefined;
}
