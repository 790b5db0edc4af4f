import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { frontOf } from '../http/front.js';
import { responseOn, upgradeDoorOf } from '../http/upgrade-door.js';
import { OpenAnswers } from './open-answers.js';

export interface Listener {
  port: number;
  /** From now on each answer whose head is not out yet says that its connection ends with it, so that clients go elsewhere with their next request. */
  leave(): void;
  /**
   * Takes no new connections, lets open requests finish for at most `seconds`, then cuts what is left. Answers how many were cut.
   * Connections without a request are cut `idleSeconds` after the last answer: a client may be sending one at this very moment, and would see it fail.
   */
  drain(seconds: number, idleSeconds?: number): Promise<number>;
}

const cutOff = new WeakSet<ServerResponse>();

/** Whether this process ended the answer itself because its drain time was over: the client did not leave. */
export const wasCutOff = (response: ServerResponse): boolean => cutOff.has(response);

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Sends each request where it is answered: to what stands in front of the application, or to itself. */
function answererOf(server: Server): Answer {
  const front = frontOf(server);
  const applications = server.listeners('request') as Answer[];
  server.removeAllListeners('request');
  return (request, response) => {
    if (front?.takes(request)) front.serve(request, response);
    else for (const application of applications) application.call(server, request, response);
  };
}

/** Lets connections leave HTTP where somebody takes them; a client that asks for anything else is answered in HTTP. */
function openUpgrades(server: Server, left: Set<Duplex>): void {
  const door = upgradeDoorOf(server);
  if (!door) return;
  // Node reads this from the server itself, but types it as an option of the constructor only.
  Object.assign(server, { shouldUpgradeCallback: (request: IncomingMessage) => door.takes(request) });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    left.add(socket);
    socket.once('close', () => left.delete(socket));
    // Nobody listens between two owners of the connection.
    socket.on('error', () => socket.destroy());
    door.open({ request, response: responseOn(request, socket), socket, head });
  });
}

const connectionsOf = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });

/** Opens the port of an initialised application. */
export async function listen(app: NestFastifyApplication, host: string, port: number): Promise<Listener> {
  const server = app.getHttpServer() as Server;
  const open = new OpenAnswers();
  const left = new Set<Duplex>();
  let draining = false;
  const sayEnd = (response: ServerResponse): void => {
    if (!response.headersSent) response.setHeader('connection', 'close');
  };
  const leave = (): void => {
    draining = true;
    for (const response of open) sayEnd(response);
  };
  // Whoever reads the body lets it come, see `letBodyCome`; a client that is refused never sends it.
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  const answer = answererOf(server);
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    open.add(response);
    if (draining) sayEnd(response);
    answer(request, response);
  });
  openUpgrades(server, left);
  // Nest's own `listen` waits for everything; the raw server only needs a port.
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    leave,
    async drain(seconds, idleSeconds = 0) {
      leave();
      // The close of an HTTP server cuts idle connections as well.
      NetServer.prototype.close.call(server);
      const start = performance.now();
      let quietSince = start;
      const isUnder = (limit: number, since: number): boolean => performance.now() - since < limit * 1000;
      const isBusy = async (): Promise<boolean> => {
        // A stream that began before said nothing of its connection's end: its client may send once more.
        if (open.size + left.size > 0) quietSince = performance.now();
        return isUnder(idleSeconds, quietSince) ? (await connectionsOf(server)) > 0 : open.size + left.size > 0;
      };
      while (isUnder(seconds, start) && (await isBusy())) await new Promise((resolve) => setTimeout(resolve, 20));
      const cut = open.size + left.size;
      for (const response of open) cutOff.add(response);
      for (const socket of left) socket.destroy();
      server.closeAllConnections();
      // What only the close of an HTTP server ends: its watch over slow requests.
      server.close();
      return cut;
    },
  };
}
