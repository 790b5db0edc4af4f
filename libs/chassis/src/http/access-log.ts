import type { FastifyReply } from 'fastify';
import type { Logger } from '../log/logger.js';
import { type PlatformRequest, REQUEST_ID_HEADER } from './caller.js';
import type { RouteContext } from './route.js';

/** Asked all the time by machines that look after us. */
const PROBES = new Set(['/healthz', '/readyz', '/metrics']);

/** One line per answered request. Never its address as sent: queries may carry keys. */
export function logRequest(logger: Logger, request: PlatformRequest, reply: FastifyReply): void {
  const { row, internal } = (request.routeOptions.config ?? {}) as RouteContext;
  const path = request.routeOptions.url ?? 'unknown';
  if (PROBES.has(path)) return;
  // What a service asks on its own account, such as the polls of every second, is nobody's request.
  if (internal !== undefined && request.headers[REQUEST_ID_HEADER] === undefined) return;
  logger.info('request', {
    requestId: request.id,
    method: request.method,
    path,
    operation: row?.operationId ?? internal,
    status: reply.statusCode,
    durationMs: Math.round(reply.elapsedTime * 10) / 10,
    userId: request.caller?.userId,
  });
}
