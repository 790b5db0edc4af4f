import type { Server } from 'node:http';

/** Says to the process that started this one which port it got, and ends with it. */
export function tell(server: Server): void {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  process.send?.({ port: address.port });
  process.once('disconnect', () => process.exit(0));
}
