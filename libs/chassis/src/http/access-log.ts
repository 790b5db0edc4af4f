import type { ServerResponse } from 'node:http';
import type { Logger } from '../log/logger.js';

/** Orchestrators and monitoring call these every few seconds, which would flood the log. */
const PROBES = new Set(['/healthz', '/readyz', '/metrics']);

interface AnsweredRequest {
  requestId: string;
  method: string;
  /** The path template of the route. The path as sent is not logged, because its query may carry keys. */
  path: string;
  operation: string | undefined;
  status: number;
  /** Milliseconds from request to answer. */
  ms: number;
  userId?: number | undefined;
}

/** Logged when the client left before the head of an answer was sent; no client receives this status. */
const CLIENT_LEFT = 499;

/** The status under which a finished answer is logged and counted. */
export const answeredStatus = ({
  headersSent,
  statusCode,
}: Pick<ServerResponse, 'headersSent' | 'statusCode'>): number => (headersSent ? statusCode : CLIENT_LEFT);

/** Logs one line per answered request. */
export function logRequest(logger: Logger, { ms, ...request }: AnsweredRequest): void {
  if (!PROBES.has(request.path)) logger.info('request', { ...request, durationMs: Math.round(ms * 10) / 10 });
}
