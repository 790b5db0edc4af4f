import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** In bytes. Reading and discarding the rest of a smaller body is cheaper than a new connection; a larger rest is not read. */
const SMALL_BODY = 64 * 1024;
/** Milliseconds for which a client that is still sending gets the chance to read its answer. */
const LINGER_MS = 2000;
/** Bytes that are read and discarded meanwhile; after these, reading pauses. */
const LINGER_BYTES = 1024 * 1024;

const isSmall = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= SMALL_BODY;

/**
 * Call this before answering a request whose body will not be read. The answer announces that the connection closes, and it is closed soon
 * after: closing at once would reset it, and the reset would discard the answer if the client is still sending. Only little of the body is
 * read. A small rest is discarded, and the connection stays open.
 */
export function leaveUnread(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete || request.destroyed) return;
  if (isSmall(request)) {
    // Deferred, so that a reader of the body can detach its listeners first.
    response.once('finish', () => setImmediate(() => request.resume()));
    return;
  }
  if (!response.headersSent) response.setHeader('connection', 'close');
  const { socket } = request;
  // Marks the body as being read: Node would otherwise read an unused body to its end, however slowly it arrives.
  request.read(0);
  // Node calls this after the last answer on a connection was sent.
  const destroySoon = (): void => linger(request, socket);
  socket.destroySoon = destroySoon;
}

function linger(request: IncomingMessage, socket: Socket): void {
  socket.end();
  let left = LINGER_BYTES;
  const end = (): void => void socket.destroy();
  const timer = setTimeout(end, LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  request.once('end', end);
  request.on('data', (piece: Buffer) => {
    left -= piece.length;
    if (left <= 0) request.pause();
  });
  request.resume();
}

/** Sends `100 Continue` to a client that waits for it (`Expect: 100-continue`); call it right before reading the body. */
export function letBodyCome(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.expect !== undefined && !request.complete && !response.headersSent) response.writeContinue();
}
