import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

const METHODS = 'GET, POST, PUT, DELETE, OPTIONS';
const READABLE = 'X-Oneapi-Request-Id, X-Request-Id, Request-Id, Retry-After';
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]+(\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/;
const MAX_NAMES_LENGTH = 2000;
const DAY_SECONDS = '86400';

/**
 * Pages of any origin may call with a token. Cookies are not accepted on these paths, so nothing that a browser
 * stores is exposed.
 */
export function allowAnyOrigin(response: ServerResponse): void {
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Access-Control-Expose-Headers', READABLE);
}

/** Lists the requested header names, because the wildcard does not include `Authorization`. */
export function answerPreflight(request: FastifyRequest, reply: FastifyReply): void {
  const requested = request.headers['access-control-request-headers'];
  const isSound = requested !== undefined && requested.length <= MAX_NAMES_LENGTH && HEADER_NAMES.test(requested);
  allowAnyOrigin(reply.raw);
  void reply
    .header('Access-Control-Allow-Methods', METHODS)
    .header('Access-Control-Allow-Headers', isSound ? requested : 'Authorization, Content-Type')
    .header('Access-Control-Max-Age', DAY_SECONDS)
    .header('Vary', 'Access-Control-Request-Headers')
    .status(204)
    .send();
}
