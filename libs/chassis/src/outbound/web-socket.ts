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
  /** Protocols are offered here too, as `sec-websocket-protocol`. */
  headers: Record<string, string>;
  /** As of the outbound client; empty = none. */
  proxy?: string;
  /** For the handshake. */
  timeoutMs: number;
  /** Bytes of one message; a larger one ends the connection. */
  maxPayload: number;
  /** Ends the handshake early. */
  signal?: AbortSignal;
}

/** The other side answered, but did not change the protocol. */
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
 * A web socket to an address that people can set, open. It goes where the outbound client may go, and stands still until `resume`, so that
 * nothing is lost before somebody listens. Rejects with `UpgradeRefused`, with what the check of the address throws, or with what the
 * connection failed of.
 */
export async function openWebSocket(outbound: OutboundClient, target: WebSocketTarget): Promise<WebSocket> {
  const { protocol, host, pathname, search } = new URL(target.url);
  const origin = `${protocol.replace(/^ws/, 'http')}//${host}`;
  const dispatcher = await outbound.upgradeDispatcher(target.kind, origin, target.proxy ?? '');
  target.signal?.throwIfAborted();
  const line = new HandshakeLine({ dispatcher, origin, path: pathname + search, timeoutMs: target.timeoutMs });
  // To the client this is a plain line, whatever the dispatcher makes of it.
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
    // A failure of the dispatcher says more than that the client met a line that was cut.
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
