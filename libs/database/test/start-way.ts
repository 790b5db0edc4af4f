import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a server that can end like the power of its machine: nothing arrives any more, and no connection is closed. */
export async function startWay(url: string) {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const way = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    client.pipe(server).pipe(client);
    for (const [one, other] of [[client, server] as const, [server, client] as const]) {
      sockets.add(one);
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(way, 'listening');
  const { port } = way.address() as AddressInfo;
  return {
    url: Object.assign(new URL(url), { port }).toString(),
    vanish(): void {
      for (const socket of sockets) socket.unpipe().pause();
    },
    close(): void {
      for (const socket of sockets) socket.destroy();
      way.close();
    },
  };
}
