import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { frontOf } from '../http/front.js';
import { responseOn, upgradeDoorOf } from '../http/upgrade-door.js';
import { OpenAnswers } from './open-answers.js';

export interface Listener {
  port: number;
  /** Takes no new connections, lets open requests finish for at most `seconds`, then cuts what is left. Answers how many were cut. */
  drain(seconds: number): Promise<number>;
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
  // Node reads it of the server, though only as an option it is typed.
  Object.assign(server, { shouldUpgradeCallback: (request: IncomingMessage) => door.takes(request) });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    left.add(socket);
    socket.once('close', () => left.delete(socket));
    // Nobody listens between two owners of the connection.
    socket.on('error', () => socket.destroy());
    door.open({ request, response: responseOn(request, socket), socket, head });
  });
}

/** Opens the port of an initialised application. */
export async function listen(app: NestFastifyApplication, host: string, port: number): Promise<Listener> {
  const server = app.getHttpServer() as Server;
  const open = new OpenAnswers();
  const left = new Set<Duplex>();
  let draining = false;
  // Whoever reads the body lets it come, see `letBodyCome`; a client that is refused never sends it.
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  const answer = answererOf(server);
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    open.add(response);
    if (draining) response.setHeader('connection', 'close');
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
    async drain(seconds) {
      draining = true;
      server.close();
      server.closeIdleConnections();
      const deadline = performance.now() + seconds * 1000;
      while (open.size + left.size > 0 && performance.now() < deadline) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        server.closeIdleConnections();
      }
      const cut = open.size + left.size;
      for (const response of open) cutOff.add(response);
      for (const socket of left) socket.destroy();
      server.closeAllConnections();
      return cut;
    },
  };
}
