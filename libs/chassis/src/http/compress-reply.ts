import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RouteContext } from './route.js';

const packed = promisify(gzip);

/** In bytes. Below this, the header costs more than compression saves. */
const MIN_BYTES = 1024;
/** In bytes. No reply of the console is longer. */
const MAX_BYTES = 8 * 1024 * 1024;
const TEXTUAL = /^(application\/json|text\/(?!event-stream))/;

/** Whether an `Accept-Encoding` header accepts a coding, by name or, when it is not named, by `*`. */
export function acceptsCoding(header: string | undefined, coding: 'gzip' | 'br'): boolean {
  const weights = new Map<string, number>();
  for (const part of (header ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)));
  }
  return (weights.get(coding) ?? weights.get('*') ?? 0) > 0;
}

/**
 * Compresses a textual body that is sent as a whole, if the client accepts it; streams are left alone. Replies to internal calls are not
 * compressed, because they do not cross a slow network.
 */
export async function compressReply(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  const { internal } = (request.routeOptions.config ?? {}) as RouteContext;
  if (internal !== undefined || !isText(payload)) return payload;
  const length = Buffer.byteLength(payload);
  if (length < MIN_BYTES || length > MAX_BYTES) return payload;
  if (!TEXTUAL.test(String(reply.getHeader('content-type') ?? '')) || reply.hasHeader('content-encoding'))
    return payload;
  reply.header('vary', 'Accept-Encoding');
  if (!acceptsCoding(request.headers['accept-encoding'], 'gzip')) return payload;
  const bytes = await packed(payload);
  reply.header('content-encoding', 'gzip').header('content-length', bytes.length);
  return bytes;
}

const isText = (payload: unknown): payload is string | Buffer =>
  typeof payload === 'string' || Buffer.isBuffer(payload);
