import { idHeaders } from '../call/id-headers.js';
import { framePieces } from '../call/pieces.js';
import type { RelayCall } from '../call/relay-call.js';
import { keptHeaders, type UpstreamHeaders } from '../upstream/kept-headers.js';

/** Writes the head of a stream of events, or of a JSON array. `headers` are the upstream's. */
export function writeStreamHead(call: RelayCall, headers: UpstreamHeaders): void {
  const { response, requestId, dialect, isJsonArray } = call;
  response.writeHead(200, {
    ...idHeaders(requestId, dialect),
    ...keptHeaders(headers),
    'content-type': isJsonArray ? 'application/json; charset=utf-8' : 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
  });
  framePieces(response);
}

/** Writes the head of a binary stream, with the length that the upstream states. */
export function writeBytesHead({ response, requestId, dialect }: RelayCall, headers: UpstreamHeaders): void {
  const length = headers['content-encoding'] === undefined ? headers['content-length'] : undefined;
  response.writeHead(200, {
    ...idHeaders(requestId, dialect),
    ...keptHeaders(headers),
    'content-type': String(headers['content-type'] ?? 'application/octet-stream'),
    ...(length !== undefined && { 'content-length': String(length) }),
  });
}
