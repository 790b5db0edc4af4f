import type { FastifyReply, FastifyRequest } from 'fastify';
import { DRAWING_REFUSED, type PathDialect, pathDialectOf } from './path-dialect.js';

const MAX_ECHOED = 200;
const TYPE = 'invalid_request_error';

type Body = (message: string, requestId: string) => object;

const pathOf = (url: string): string => url.split('?')[0] ?? '';
const invalidUrl = (method: string, path: string): string => `Invalid URL (${method} ${path.slice(0, MAX_ECHOED)})`;
const inBothShapes = (message: string): object => ({
  error: { message, type: TYPE, param: '', code: '' },
  success: false,
  message,
});

/** Body of the 404 reply to an unknown call of the console. */
export const unknownAddress = ({ method, url }: Pick<FastifyRequest, 'method' | 'url'>): object =>
  inBothShapes(invalidUrl(method, pathOf(url)));

const named = (message: string, requestId: string): string => `${message} (request id: ${requestId})`;

const bodies: Readonly<Record<PathDialect, Body>> = {
  gemini: (message, id) => ({ error: { code: 400, message: named(message, id), status: 'INVALID_ARGUMENT' } }),
  anthropic: (message, id) => ({ type: 'error', error: { type: TYPE, message: named(message, id) }, request_id: id }),
  drawing: (message, id) => ({ description: named(message, id), type: 'upstream_error', code: DRAWING_REFUSED }),
  song: (message) => ({ code: 'invalid_request', message, data: null }),
  openai: (message, id) => ({ error: { message: named(message, id), type: TYPE, param: '', code: '' } }),
  // Suits clients of OpenAI and of the console.
  other: inBothShapes,
};

/** Answers what Fastify refuses before routing, an address with a broken escape: in the dialect of the path, with a request id. */
export function refuseAddress(
  error: { statusCode?: number },
  { id, method, url }: FastifyRequest,
  reply: FastifyReply,
): void {
  const path = pathOf(url);
  const message = invalidUrl(method, path);
  void reply
    .header('X-Oneapi-Request-Id', id)
    .status(error.statusCode ?? 400)
    .send(bodies[pathDialectOf(path)](message, id));
}
