import { createServer } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';

const PATHS = new Set(['/metrics', '/healthz', '/readyz']);

/** Marks a raw request that arrived at a probe port. */
export const BY_PROBE_PORT: unique symbol = Symbol('tollgate.probe-port');

export interface ProbePort {
  port: number;
  close(): Promise<void>;
}

/**
 * Serves health and metrics on a port of its own: replicas that share one port would answer for each other, and what is meant for operators
 * need not be public. It is closed last, so that a draining process can still be observed.
 */
export async function openProbePort(app: NestFastifyApplication, host: string, port: number): Promise<ProbePort> {
  const instance = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    if (PATHS.has(path)) instance.routing(Object.assign(request, { [BY_PROBE_PORT]: true }), response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // Cluster workers share their ports unless they are exclusive.
    server.listen({ host, port, exclusive: true }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
