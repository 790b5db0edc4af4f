import { createServer } from 'node:net';

/**
 * Throws when the port that people use cannot be opened. The gateways would end again and again because of it, beside
 * seven processes that nobody can reach.
 */
export async function requireFrontPort(host: string, port: number): Promise<void> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen({ host, port, exclusive: true }, resolve);
    });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const reason =
      code === 'EADDRINUSE' ? 'is taken; stop what listens there' : `cannot be opened on ${host} (${code})`;
    throw new Error(`Port ${port} ${reason}, or set PORT to another one.`, { cause });
  } finally {
    server.close();
  }
}
