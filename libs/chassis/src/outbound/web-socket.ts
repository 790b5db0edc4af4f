import { buffer } from 'node:stream/consumers';
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import type { OutboundClass } from './address-policy.js';
import { HandshakeLine } from './handshake-line.js';
import type { OutboundClient } from './outbound-client.js';

export interface WebSocketTarget {
  kind: OutboundClass;
  /** `ws`, `wss`, `http` or `https`. */
  url: string;
  /** Includes the subprotocols to offer, as `sec-websocket-protocol`. */
  headers: Record<string, string>;
  /** Proxy URL as for the outbound client; empty for none. */
  proxy?: string;
  /** Time limit of the handshake. */
  timeoutMs: number;
  /** Limit on the bytes of a message; a larger one ends the connection. */
  maxPayload: number;
  /** Aborts the handshake. */
  signal?: AbortSignal;
}

/** The server answered without switching protocols. */
export class UpgradeRefused extends Error {
  constructor(
    readonly status: number,
    readonly headers: Record<string, string | string[] | undefined>,
    readonly body: Buffer,
  ) {
    super(`the web socket was refused: ${status}`);
    this.name = 'UpgradeRefused';
  }
}

const MAX_REFUSAL = 64 * 1024;

/**
 * Opens a WebSocket to a URL that people can set, under the rules of the outbound client. The socket is paused until `resume`, so that no
 * message is lost before a listener is attached. Rejects with `UpgradeRefused`, with the error of the address check, or with the error of
 * the connection.
 */
export async function openWebSocket(outbound: OutboundClient, target: WebSocketTarget): Promise<WebSocket> {
  const { protocol, host, pathname, search } = new URL(target.url);
  const origin = `${protocol.replace(/^ws/, 'http')}//${host}`;
  const dispatcher = await outbound.upgradeDispatcher(target.kind, origin, target.proxy ?? '');
  target.signal?.throwIfAborted();
  const line = new HandshakeLine({ dispatcher, origin, path: pathname + search, timeoutMs: target.timeoutMs });
  // The WebSocket library sees a plain `ws` connection, whatever TLS or proxy the dispatcher uses.
  const socket = new WebSocket(`ws://${host}${pathname}${search}`, {
    createConnection: (() => line) as never,
    headers: target.headers,
    handshakeTimeout: target.timeoutMs,
    maxPayload: target.maxPayload,
    perMessageDeflate: false,
  });
  return new Promise((resolve, reject) => {
    const giveUp = (): void => void line.destroy(target.signal?.reason as Error);
    target.signal?.addEventListener('abort', giveUp, { once: true });
    const settled = (): void => target.signal?.removeEventListener('abort', giveUp);
    // Prefer the dispatcher's error: the WebSocket library only reports that its connection was closed.
    let failure: Error | undefined;
    line.on('error', (error: Error) => (failure = error));
    socket.once('unexpected-response', (_request, response: IncomingMessage) => {
      settled();
      void refusalOf(response).then((refusal) => {
        line.destroy();
        reject(refusal);
      });
    });
    socket.once('error', (error) => {
      settled();
      line.destroy();
      reject(failure ?? error);
    });
    socket.once('open', () => {
      settled();
      socket.pause();
      resolve(socket);
    });
  });
}

async function refusalOf(response: IncomingMessage): Promise<UpgradeRefused> {
  const { statusCode = 0, headers } = response;
  let size = 0;
  response.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_REFUSAL) response.destroy();
  });
  const body = await buffer(response).catch(() => Buffer.alloc(0));
  return new UpgradeRefused(statusCode, headers, body);
}
