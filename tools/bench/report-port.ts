import type { Server } from 'node:http';

/** Reports the port of a server to the parent process, and makes this process end with its parent. */
export function reportPort(server: Server): void {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  process.send?.({ port: address.port });
  process.once('disconnect', () => process.exit(0));
}
