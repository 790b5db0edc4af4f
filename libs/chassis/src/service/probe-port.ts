import { createServer } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';

const PATHS = new Set(['/metrics', '/healthz', '/readyz']);

/** Set on a raw request that came by such a port. */
export const BY_PROBE_PORT: unique symbol = Symbol('tollgate.probe-port');

export interface ProbePort {
  port: number;
  close(): Promise<void>;
}

/**
 * Health and metrics on a port that nothing else uses: replicas that share one port would each answer for the other, and what
 * is for operators need not be open to the public. It is closed last, so that a draining process can be watched.
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
    // Workers of one port share whatever else they open, unless it is exclusive.
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
