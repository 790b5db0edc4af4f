import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A rest of this size costs less to read to nowhere than a new connection; more of it is not waited for. */
const SMALL_BODY = 64 * 1024;
/** How long, in milliseconds, a client that still sends gets to see its answer. */
const LINGER_MS = 2000;
/** How much of what it sends meanwhile is read to nowhere; beyond that the line stands still. */
const LINGER_BYTES = 1024 * 1024;

const isSmall = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= SMALL_BODY;

/**
 * To be called before the answer to a request whose body nobody wants any more. The answer says that the connection ends, and it
 * ends soon after: closing at once would reset it, and the reset overtakes an answer that a client which still sends has not read.
 * Next to nothing of the body is read. A small rest is dropped as usual, and the connection lives on.
 */
export function leaveUnread(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete || request.destroyed) return;
  if (isSmall(request)) {
    // Who began to read it lets go in its own time.
    response.once('finish', () => setImmediate(() => request.resume()));
    return;
  }
  if (!response.headersSent) response.setHeader('connection', 'close');
  const { socket } = request;
  // Marks the body as somebody's business: Node reads one that is nobody's to its end, at any speed.
  request.read(0);
  // What Node calls when the last answer of a connection has left.
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

/** Lets a client begin that asks before it sends (`Expect: 100-continue`); to be called when its body is about to be read. */
export function letBodyCome(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.expect !== undefined && !request.complete && !response.headersSent) response.writeContinue();
}
