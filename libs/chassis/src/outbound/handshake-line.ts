import { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';

const END_OF_HEAD = '\r\n\r\n';
const MAX_HEAD = 64 * 1024;
/** Headers that are not forwarded: they concern this connection only, or the dispatcher sets them itself. */
const NOT_FORWARDED = new Set(['host', 'connection', 'upgrade']);

/** Until a request is sent, the time for an answer is the one that a proxy has for its tunnel. */
const TIMEOUT_CODES = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT']);

/** The error of a connection that was not made in time, as sockets report it. */
const notConnected = (cause?: Error): Error =>
  Object.assign(new Error('no connection was made in time', { cause }), { code: 'ETIMEDOUT', syscall: 'connect' });

interface HandshakeTarget {
  dispatcher: Dispatcher;
  origin: string;
  path: string;
  /** Time limit of the connection, and of the answer to the handshake. */
  timeoutMs: number;
}

/**
 * A duplex that a WebSocket client uses as its socket for the handshake, while a dispatcher sends the request: through a proxy if
 * configured, and to checked addresses only. After the handshake it is connected to the dispatcher's socket. A refusal is passed on as
 * received.
 */
export class HandshakeLine extends Duplex {
  private head = '';
  private line: Duplex | undefined;
  private isSent = false;
  private connecting: NodeJS.Timeout | undefined;
  /** Set while the body of a refusal is arriving: resumes reading it. */
  private controller: Dispatcher.DispatchController | undefined;

  constructor(private readonly target: HandshakeTarget) {
    super();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.line) return void this.line.write(chunk, encoding, done);
    this.head += chunk.toString('latin1');
    if (this.head.length > MAX_HEAD) return done(new Error('the head of the handshake is too large'));
    if (!this.isSent && this.head.endsWith(END_OF_HEAD)) this.send();
    done();
  }

  override _final(done: (error?: Error | null) => void): void {
    this.line?.end();
    done();
  }

  override _read(): void {
    this.line?.resume();
    this.controller?.resume();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.connecting);
    this.line?.destroy();
    done(error);
  }

  private send(): void {
    this.isSent = true;
    const { dispatcher, origin, path, timeoutMs } = this.target;
    let isConnected = false;
    this.connecting = setTimeout(() => this.destroy(notConnected()), timeoutMs);
    dispatcher.dispatch(
      {
        ...{ origin, path, method: 'GET', upgrade: 'websocket' },
        ...{ headers: headersOf(this.head), headersTimeout: timeoutMs, bodyTimeout: timeoutMs },
      },
      {
        onRequestStart: (controller) => {
          isConnected = true;
          clearTimeout(this.connecting);
          const giveUp = (): void => controller.abort(new Error('nobody waits'));
          if (this.destroyed) giveUp();
          else this.once('close', giveUp);
        },
        onRequestUpgrade: (_, status, headers, socket) => this.switchTo(socket, statusLines(status, headers)),
        onResponseStart: (_, status, headers) => {
          if (status >= 200) this.push(statusLines(status, { ...headers, connection: 'close' }));
        },
        onResponseData: (controller, chunk) => {
          if (this.push(chunk)) return;
          controller.pause();
          this.controller = controller;
        },
        onResponseEnd: () => void this.push(null),
        onResponseError: (_, error) => {
          const isLate = !isConnected && TIMEOUT_CODES.has((error as { code?: string }).code ?? '');
          this.destroy(isLate ? notConnected(error) : error);
        },
      },
    );
  }

  private switchTo(line: Duplex, head: string): void {
    if (this.destroyed) return void line.destroy();
    this.line = line;
    this.push(head);
    line.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) line.pause();
    });
    line.on('end', () => this.push(null));
    line.on('error', (error) => this.destroy(error));
    line.on('close', () => {
      // After a regular end, buffered data may still have to be read.
      if (!line.readableEnded) this.destroy();
    });
  }
}

/** Headers of a request head as written by Node, lower-case names to values. */
function headersOf(head: string): Record<string, string> {
  const lines = head.slice(0, -END_OF_HEAD.length).split('\r\n').slice(1);
  const pairs = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return Object.fromEntries(pairs.filter(([name]) => !NOT_FORWARDED.has(name)));
}

/**
 * Response headers hidden from the client: the chosen subprotocol, because the client would reject an upstream that chooses none, and the
 * framing of a body, which the dispatcher has already removed.
 */
const DROPPED = new Set(['sec-websocket-protocol', 'transfer-encoding', 'content-length', 'content-encoding']);

function statusLines(status: number, headers: Record<string, string | string[] | undefined>): string {
  const lines = Object.entries(headers)
    .filter(([name]) => !DROPPED.has(name.toLowerCase()))
    .flatMap(([name, value]) => [value ?? []].flat().map((one) => `${name}: ${one}`));
  return [`HTTP/1.1 ${status} -`, ...lines, '', ''].join('\r\n');
}
