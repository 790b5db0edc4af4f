import type { FastifyReply, FastifyRequest } from 'fastify';

const MAX_ECHOED = 200;

/** What Fastify refuses before there is a route, an address with a broken escape: in the shape of an unknown path, with its request id. */
export function refuseAddress(
  error: { statusCode?: number },
  { id, method, url }: FastifyRequest,
  reply: FastifyReply,
): void {
  const message = `Invalid URL (${method} ${(url.split('?')[0] ?? '').slice(0, MAX_ECHOED)})`;
  void reply
    .header('X-Oneapi-Request-Id', id)
    .status(error.statusCode ?? 400)
    .send({ error: { message, type: 'invalid_request_error', param: '', code: '' }, success: false, message });
}
