import type { RawData, WebSocket } from 'ws';
import { AppError } from '../errors/app-error.js';
import type { OutboundClient, OutboundReply } from './outbound-client.js';
import { openWebSocket, UpgradeRefused, type WebSocketTarget } from './web-socket.js';

/** A request sent as one WebSocket message and answered by several. */
export interface SocketCall extends Omit<WebSocketTarget, 'kind' | 'maxPayload'> {
  message: Buffer;
  /** Whether this is the last message of the answer; the connection is closed after it. */
  isLast(message: string): boolean;
  /** Longest time between two messages. */
  idleMs: number;
}

export interface SocketListener {
  /** A message in the form of a server-sent event. */
  data(event: Buffer): void;
  /** The upstream has finished or closed the connection. */
  end(): void;
  /** With code `ETIMEDOUT` when no message arrives in time, `WS_ERR_UNSUPPORTED_MESSAGE_LENGTH` when a message is too large. */
  error(error: Error & { code?: string }): void;
}

/** Controls an answer that is arriving. */
export interface SocketAnswer {
  pause(): void;
  resume(): void;
  /** Closes the connection; the listener is not called any more. */
  abort(): void;
}

/** In bytes; far larger than any message of an answer. */
const MAX_MESSAGE = 10 * 1024 * 1024;

const textOf = (data: RawData): string =>
  (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as ArrayBuffer)).toString('utf8');

const asEvent = (message: string): Buffer => Buffer.from(`data: ${message.replaceAll(/\r\n?|\n/g, '\ndata: ')}\n\n`);

class Conversation implements SocketAnswer {
  private timer: NodeJS.Timeout | undefined;
  private isOver = false;
  private isPaused = false;

  constructor(
    private readonly socket: WebSocket,
    private readonly question: SocketCall,
    private readonly listener: SocketListener,
  ) {
    socket.on('message', (data: RawData) => this.take(textOf(data)));
    socket.on('error', (error) => this.finish(() => listener.error(error)));
    socket.on('close', () => this.finish(() => listener.end()));
    this.wait();
    socket.resume();
    socket.send(question.message.toString('utf8'), (error) => {
      if (error) this.finish(() => listener.error(error));
    });
  }

  pause(): void {
    this.isPaused = true;
    clearTimeout(this.timer);
    this.socket.pause();
  }

  resume(): void {
    this.isPaused = false;
    this.wait();
    this.socket.resume();
  }

  abort(): void {
    this.finish(() => undefined);
    this.socket.terminate();
  }

  private take(message: string): void {
    if (this.isOver) return;
    this.wait();
    this.listener.data(asEvent(message));
    if (!this.question.isLast(message)) return;
    this.finish(() => this.listener.end());
    this.socket.close();
  }

  private wait(): void {
    clearTimeout(this.timer);
    if (this.isOver || this.isPaused) return;
    this.timer = setTimeout(() => {
      const late = Object.assign(new Error('no message came in time'), { code: 'ETIMEDOUT' });
      this.finish(() => this.listener.error(late));
      this.socket.terminate();
    }, this.question.idleMs);
  }

  private finish(report: () => void): void {
    clearTimeout(this.timer);
    if (this.isOver) return;
    this.isOver = true;
    report();
  }
}

/** Rejects as `openWebSocket` does; later failures are reported to the listener, once. */
export async function callBySocket(
  outbound: OutboundClient,
  question: SocketCall,
  listener: SocketListener,
): Promise<SocketAnswer> {
  const socket = await openWebSocket(outbound, { ...question, kind: 'channel', maxPayload: MAX_MESSAGE });
  return new Conversation(socket, question, listener);
}

/**
 * Collects the whole answer as one body of events, in the form of `OutboundClient.send`. A refused handshake is returned as a reply as
 * well.
 */
export async function collectBySocket(
  outbound: OutboundClient,
  question: SocketCall,
  maxBytes: number,
): Promise<OutboundReply> {
  const chunks: Buffer[] = [];
  let size = 0;
  let answer: SocketAnswer | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const tooLarge = (): Error => new AppError('upstream', 'reply-too-large', '对方返回的内容过大');
      const data = (event: Buffer): void => {
        size += event.length;
        if (size > maxBytes) reject(tooLarge());
        else chunks.push(event);
      };
      callBySocket(outbound, question, { data, end: resolve, error: reject }).then((begun) => {
        answer = begun;
      }, reject);
    });
  } catch (error) {
    if (error instanceof UpgradeRefused) return { status: error.status, headers: error.headers, body: error.body };
    if (error instanceof AppError) throw error;
    const { hostname } = new URL(question.url);
    const text = `无法连接至 ${hostname}，请检查地址与网络`;
    throw new AppError('upstream', 'unreachable', text, { cause: error, params: { host: hostname } });
  } finally {
    answer?.abort();
  }
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, body: Buffer.concat(chunks) };
}
