import type { ServerResponse } from 'node:http';

/** A piece of up to this many bytes is written as one string together with its chunk frame. */
const SHORT = 16 * 1024;
const END = '0\r\n\r\n';

/** Responses whose chunked encoding is written here instead of by Node. */
const framed = new WeakSet<ServerResponse>();

/**
 * Takes over the chunked encoding of a response that consists of many small pieces. Call it after the head was written.
 * Node writes the four parts of a chunk one by one, which costs more than forwarding the piece itself. Afterwards only
 * `writePiece` and `endPieces` may write to the response. A response that is not chunked is left unchanged.
 */
export function framePieces(response: ServerResponse): void {
  if (!response.chunkedEncoding) return;
  response.chunkedEncoding = false;
  framed.add(response);
}

/** Writes a piece; like `write` it returns false when the caller should wait for `drain` before the next one. */
export function writePiece(response: ServerResponse, piece: Buffer): boolean {
  if (!framed.has(response)) return response.write(piece);
  if (piece.length <= SHORT) return response.write(chunkOf(piece), 'latin1');
  response.write(`${piece.length.toString(16)}\r\n`, 'latin1');
  response.write(piece);
  return response.write('\r\n', 'latin1');
}

/** Writes the last piece and ends the response. */
export function endPieces(response: ServerResponse, last: Buffer): void {
  if (!framed.has(response)) return void response.end(last);
  if (last.length <= SHORT) return void response.end(`${chunkOf(last)}${END}`, 'latin1');
  writePiece(response, last);
  response.end(END, 'latin1');
}

/**
 * In Latin-1 each byte maps to the character of the same number, so the string is sent as the very same bytes. An empty
 * piece is not written, because an empty chunk ends the response.
 */
const chunkOf = (piece: Buffer): string =>
  piece.length === 0 ? '' : `${piece.length.toString(16)}\r\n${piece.toString('latin1')}\r\n`;
