import cluster from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Env } from '../config/env.js';

type Ports = Pick<Env, 'HOST' | 'PORT' | 'TOLLGATE_METRICS_PORT'>;

/**
 * Throws an error for a person when a port cannot be opened. It is asked before databases are made and services are
 * started, which takes half a minute the first time; the port may still be taken meanwhile.
 */
export async function requirePorts({ HOST, PORT, TOLLGATE_METRICS_PORT }: Ports): Promise<void> {
  // Workers of Node's cluster module share this port, and their supervisor has opened it.
  if (!cluster.isWorker) await requirePort(HOST, 'PORT', PORT);
  if (TOLLGATE_METRICS_PORT !== undefined) await requirePort(HOST, 'TOLLGATE_METRICS_PORT', TOLLGATE_METRICS_PORT);
}

/** Throws as `requirePorts` when this port, which `variable` sets, cannot be opened. */
export async function requirePort(host: string, variable: string, port: number): Promise<void> {
  const server = createServer();
  try {
    await once(server.listen({ host, port, exclusive: true }), 'listening');
  } catch (error) {
    throw addressError(error, host, { [variable]: port });
  }
  server.close();
  await once(server, 'close');
}

/** What a person can do about a port that could not be opened; other errors are returned as they are. */
export function addressError(error: unknown, host: string, wanted: Record<string, number>): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const [[name, port] = []] = Object.entries(wanted);
  if (code === 'EADDRINUSE')
    return new Error(`Port ${port} is taken. Stop what listens there or set ${name} to another one.`);
  if (code === 'EACCES')
    return new Error(`Port ${port} may not be opened by this user. Set ${name} to one above 1023.`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new Error(`HOST is ${host}, which is no address of this machine. Set it to one, or leave it out.`);
  return error;
}
