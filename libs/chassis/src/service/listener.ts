import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { REQUEST_ID_HEADER } from '../http/caller.js';
import { frontOf } from '../http/front.js';
import { responseOn, upgradeDoorOf } from '../http/upgrade-door.js';
import { newId } from './new-id.js';
import { OpenAnswers } from './open-answers.js';
import { readiness } from './readiness.js';

export interface Listener {
  port: number;
  /** From now on every answer whose head is not yet sent closes its connection, so that clients send their next request elsewhere. */
  leave(): void;
  /**
   * Accepts no new connections, lets open requests finish for at most `seconds`, then cuts the rest and returns how many were cut.
   * Connections without a request are closed `idleSeconds` after the last answer: a client may be sending a request just now, which would
   * fail otherwise.
   */
  drain(seconds: number, idleSeconds?: number): Promise<number>;
}

const cutOff = new WeakSet<ServerResponse>();

/** Whether this process aborted the answer because its drain time was over, as opposed to a client that left. */
export const wasCutOff = (response: ServerResponse): boolean => cutOff.has(response);

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Answers the probes of other processes and of supervisors, many of which come every second: the hooks of an application would cost several
 * times as much as the answer.
 */
function answerProbe(response: ServerResponse, isReady: boolean): void {
  const { status, body } = readiness(isReady);
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': text.length,
    [REQUEST_ID_HEADER]: newId(),
  });
  response.end(text);
}

/** Answers probes, and routes other requests to the front, if one takes it, else to the application. */
function answererOf(server: Server, isReady?: () => boolean): Answer {
  const front = frontOf(server);
  const applications = server.listeners('request') as Answer[];
  server.removeAllListeners('request');
  return (request, response) => {
    if (isReady && request.url === '/readyz' && request.method === 'GET') answerProbe(response, isReady());
    else if (front?.takes(request)) front.serve(request, response);
    else for (const application of applications) application.call(server, request, response);
  };
}

/** Lets connections switch protocol if an upgrade door takes them; other upgrade requests are answered in HTTP. */
function openUpgrades(server: Server, left: Set<Duplex>): void {
  const door = upgradeDoorOf(server);
  if (!door) return;
  // Node reads this property from the server, but its types allow it as an option of the constructor only.
  Object.assign(server, { shouldUpgradeCallback: (request: IncomingMessage) => door.takes(request) });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    left.add(socket);
    socket.once('close', () => left.delete(socket));
    // Between two owners of the connection no error listener is attached, and an unhandled error would crash the process.
    socket.on('error', () => socket.destroy());
    door.open({ request, response: responseOn(request, socket), socket, head });
  });
}

const connectionsOf = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });

/** Opens the port of an initialised application. Without `isReady` the application itself answers probes. */
export async function listen(
  app: NestFastifyApplication,
  host: string,
  port: number,
  isReady?: () => boolean,
): Promise<Listener> {
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
  // The reader of the body sends `100 Continue` (see `letBodyCome`), so a client that is refused never sends its body.
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  const answer = answererOf(server, isReady);
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    open.add(response);
    if (draining) sayEnd(response);
    answer(request, response);
  });
  openUpgrades(server, left);
  // Nest's own `listen` does more than is needed here; the raw server only has to open a port.
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
      // `close` of an HTTP server would cut idle connections as well.
      NetServer.prototype.close.call(server);
      const start = performance.now();
      let quietSince = start;
      const isUnder = (limit: number, since: number): boolean => performance.now() - since < limit * 1000;
      const isBusy = async (): Promise<boolean> => {
        // A response that began before the drain did not announce the close of its connection, so its client may send another request.
        if (open.size + left.size > 0) quietSince = performance.now();
        return isUnder(idleSeconds, quietSince) ? (await connectionsOf(server)) > 0 : open.size + left.size > 0;
      };
      while (isUnder(seconds, start) && (await isBusy())) await new Promise((resolve) => setTimeout(resolve, 20));
      const cut = open.size + left.size;
      for (const response of open) cutOff.add(response);
      for (const socket of left) socket.destroy();
      server.closeAllConnections();
      // Stops the HTTP server's timer for slow requests, which `close` of the net server leaves running.
      server.close();
      return cut;
    },
  };
}
