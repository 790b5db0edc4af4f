import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A TCP proxy in front of one server. It passes requests on at once, and replies as late as the test wants. */
export interface SlowProxy {
  port: number;
  /** By how much each part of a reply is late from now on. */
  delay(milliseconds: number): void;
  /** Keeps all replies back until `release`. */
  hold(): void;
  release(): void;
  /** Bytes of replies that are kept back at this moment. */
  readonly heldBytes: number;
  /** What clients have sent since the last call. */
  sent(): string;
  close(): Promise<void>;
}

/** @param portOf told when the first client connects, because some servers start only when their proxy has a port */
export async function startSlowProxy(portOf: () => number): Promise<SlowProxy> {
  const sockets = new Set<Socket>();
  let sent = '';
  let delayMs = 0;
  let heldBytes = 0;
  let gate: PromiseWithResolvers<void> | undefined;

  const passOn = (client: Socket): void => {
    const server = connect(portOf(), '127.0.0.1');
    // Replies stay in order also when the delay changes, and those of a second connection do not wait for them.
    let earlier = Promise.resolve();
    const whenDue = (work: () => void): void => {
      const due = performance.now() + delayMs;
      earlier = earlier
        .then(() => pause(Math.max(0, due - performance.now())))
        .then(() => gate?.promise)
        .then(work);
    };
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => sockets.delete(socket));
      sockets.add(socket);
    }
    client.on('data', (part: Buffer) => (sent += part.toString('latin1')));
    client.pipe(server);
    client.on('close', () => server.destroy());
    server.on('data', (part: Buffer) => {
      heldBytes += part.length;
      whenDue(() => {
        heldBytes -= part.length;
        client.write(part);
      });
    });
    server.on('close', () => whenDue(() => void client.end()));
  };

  const listener = createServer(passOn).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const release = (): void => {
    gate?.resolve();
    gate = undefined;
  };
  return {
    port: (listener.address() as AddressInfo).port,
    delay: (milliseconds) => (delayMs = milliseconds),
    hold: () => (gate ??= Promise.withResolvers()),
    release,
    get heldBytes() {
      return heldBytes;
    },
    sent() {
      const all = sent;
      sent = '';
      return all;
    },
    async close() {
      release();
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
}
