import type { ServerResponse } from 'node:http';
import type { Logger } from '../log/logger.js';

/** Asked every few seconds by orchestrators and monitoring: they would drown everything else in the log. */
const PROBES = new Set(['/healthz', '/readyz', '/metrics']);

export interface AnsweredRequest {
  requestId: string;
  method: string;
  /** Of the route. Never the address as sent: queries may carry keys. */
  path: string;
  operation: string | undefined;
  status: number;
  /** Milliseconds it took. */
  ms: number;
  userId?: number | undefined;
}

/** The status that is logged where the client left before the head of an answer went out; nobody is ever sent it. */
const CLIENT_LEFT = 499;

/** The status under which a finished answer is logged and counted. */
export const answeredStatus = ({
  headersSent,
  statusCode,
}: Pick<ServerResponse, 'headersSent' | 'statusCode'>): number => (headersSent ? statusCode : CLIENT_LEFT);

/** One line per answered request. */
export function logRequest(logger: Logger, { ms, ...request }: AnsweredRequest): void {
  if (!PROBES.has(request.path)) logger.info('request', { ...request, durationMs: Math.round(ms * 10) / 10 });
}
