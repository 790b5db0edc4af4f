import type { OutgoingHttpHeaders } from 'node:http';
import { framePieces } from '../call/pieces.js';
import type { RelayCall } from '../call/relay-call.js';

/** What a client may see of an upstream's headers: request ids and rate limits, nothing of the account behind them. */
const KEPT =
  /^(x-request-id|request-id|x-ratelimit-.+|anthropic-ratelimit-.+|retry-after|openai-processing-ms|openai-version)$/;

/** For `writeHead`, which is cheaper than a header at a time. */
export function keptHeaders(headers: Record<string, string | string[] | undefined>): OutgoingHttpHeaders {
  const kept: OutgoingHttpHeaders = {};
  for (const name in headers) if (headers[name] !== undefined && KEPT.test(name)) kept[name] = headers[name];
  return kept;
}

/** Seconds of a Retry-After; undefined when absent or a date. */
export function retryAfterOf(headers: Record<string, string | string[] | undefined>): number | undefined {
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
}

/** From here on the client reads events, or the items of an array. `headers` are the upstream's. */
export function writeStreamHead(
  { response, requestId, isJsonArray }: RelayCall,
  headers: Record<string, string | string[] | undefined>,
): void {
  response.writeHead(200, {
    ...keptHeaders(headers),
    'content-type': isJsonArray ? 'application/json; charset=utf-8' : 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
    'x-oneapi-request-id': requestId,
  });
  framePieces(response);
}

/** From here on the client reads bytes that are no text, as many as the upstream says. */
export function writeBytesHead(
  { response, requestId }: RelayCall,
  headers: Record<string, string | string[] | undefined>,
): void {
  const length = headers['content-encoding'] === undefined ? headers['content-length'] : undefined;
  response.writeHead(200, {
    ...keptHeaders(headers),
    'content-type': String(headers['content-type'] ?? 'application/octet-stream'),
    ...(length !== undefined && { 'content-length': String(length) }),
    'x-oneapi-request-id': requestId,
  });
}
