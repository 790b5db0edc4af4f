import type { ServerResponse } from 'node:http';

/** A piece up to this many bytes goes out as one text with its frame. */
const SHORT = 16 * 1024;
const END = '0\r\n\r\n';

/** Answers whose chunks are framed here. */
const framed = new WeakSet<ServerResponse>();

/**
 * After the head, to be called for an answer of many small pieces: Node writes the four parts of a chunk one by one, which costs more than the
 * rest of passing it on. From then on nothing but `writePiece` and `endPieces` may write to it. An answer that is not chunked stays as it is.
 */
export function framePieces(response: ServerResponse): void {
  if (!response.chunkedEncoding) return;
  response.chunkedEncoding = false;
  framed.add(response);
}

/** Writes a piece; like `write` it answers false when no more should come before `drain`. */
export function writePiece(response: ServerResponse, piece: Buffer): boolean {
  if (!framed.has(response)) return response.write(piece);
  if (piece.length <= SHORT) return response.write(chunkOf(piece), 'latin1');
  response.write(`${piece.length.toString(16)}\r\n`, 'latin1');
  response.write(piece);
  return response.write('\r\n', 'latin1');
}

/** Writes the last piece and ends the answer. */
export function endPieces(response: ServerResponse, last: Buffer): void {
  if (!framed.has(response)) return void response.end(last);
  if (last.length <= SHORT) return void response.end(`${chunkOf(last)}${END}`, 'latin1');
  writePiece(response, last);
  response.end(END, 'latin1');
}

/** As Latin-1 every byte is the sign of its number, so the same bytes go out. An empty chunk would be the end. */
const chunkOf = (piece: Buffer): string =>
  piece.length === 0 ? '' : `${piece.length.toString(16)}\r\n${piece.toString('latin1')}\r\n`;
