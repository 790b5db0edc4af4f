import type { ServerResponse } from 'node:http';
import type { Logger } from '../log/logger.js';

/** Asked all the time by machines that look after us. */
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

/** What a client that left before it was told anything was not told. */
const CLIENT_LEFT = 499;

/** What an answer that is over counts as. */
export const answeredStatus = ({
  headersSent,
  statusCode,
}: Pick<ServerResponse, 'headersSent' | 'statusCode'>): number => (headersSent ? statusCode : CLIENT_LEFT);

/** One line per answered request. */
export function logRequest(logger: Logger, { ms, ...request }: AnsweredRequest): void {
  if (!PROBES.has(request.path)) logger.info('request', { ...request, durationMs: Math.round(ms * 10) / 10 });
}
