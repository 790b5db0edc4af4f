import type { FastifyReply } from 'fastify';
import { type Dialect, errorBody } from '@tollgate/providers';
import type { Refusal } from '../pipeline/refusal.js';

/** Clients of /v1/messages, and those that ask for models with Anthropic's headers, speak Anthropic. */
export function dialectOf(path: string, headers: Record<string, unknown>): Dialect {
  if (path.startsWith('/v1/messages')) return 'anthropic';
  return path.startsWith('/v1/models') &&
    headers['x-api-key'] !== undefined &&
    headers['anthropic-version'] !== undefined
    ? 'anthropic'
    : 'openai';
}

const ANTHROPIC_TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
};

/** The refusal in the caller's dialect. Anthropic's clients tell errors by type, so ours become theirs. */
export async function sendRefusal(
  reply: FastifyReply,
  refusal: Refusal,
  dialect: Dialect,
  requestId: string,
): Promise<void> {
  const { error, status, extra } = refusal;
  if (extra.retryAfter !== undefined)
    void reply.header('retry-after', String(Math.max(1, Math.ceil(extra.retryAfter))));
  else if (status === 429 || status === 503) void reply.header('retry-after', '1');
  const isOurs = error.type === 'new_api_error' || error.type === 'invalid_request_error';
  const type = dialect === 'anthropic' && isOurs ? (ANTHROPIC_TYPES[status] ?? error.type) : error.type;
  await reply
    .status(status)
    .type('application/json; charset=utf-8')
    .send(errorBody(dialect, { ...error, type }, requestId));
}
