import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { OutboundClient, parseAllowance } from '@tollgate/chassis';
import { isLate, isUnsent } from './unsent.js';

describe('isUnsent', () => {
  const clients: OutboundClient[] = [];
  afterEach(() => Promise.all(clients.splice(0).map((client) => client.cut())));

  const faultOf = async (url: string, proxy = '', timeoutMs = 2000): Promise<unknown> => {
    const client = new OutboundClient(parseAllowance(''));
    clients.push(client);
    return client
      .send({ kind: 'channel', method: 'POST', url, body: '{}', timeoutMs, proxy })
      .then(() => undefined)
      .catch((error: unknown) => error);
  };
  const listening = async (answer: 'close' | 'hang'): Promise<{ port: number; close(): void }> => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      if (answer === 'close') socket.once('data', () => socket.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { port: (server.address() as { port: number }).port, close: () => server.close() };
  };

  it('is true for a closed port, by address and by name, and for forbidden addresses', async () => {
    const { port, close } = await listening('close');
    close();
    for (const url of [`http://127.0.0.1:${port}/`, `http://localhost:${port}/`, 'http://169.254.169.254/', 'ftp://x'])
      expect([url, isUnsent(await faultOf(url))]).toEqual([url, true]);
    expect(isUnsent(await faultOf(`http://127.0.0.1:${port}/`, 'nonsense'))).toBe(true);
  });

  it('is false once a request was sent, whatever its result', async () => {
    const { port, close } = await listening('close');
    expect(isUnsent(await faultOf(`http://127.0.0.1:${port}/`))).toBe(false);
    close();
  });

  it('differs from a timeout', async () => {
    const { port, close } = await listening('hang');
    const error = await faultOf(`http://127.0.0.1:${port}/`, '', 50);
    expect([isUnsent(error), isLate(error)]).toEqual([false, true]);
    close();
    const gone = await faultOf('http://169.254.169.254/');
    expect(isLate(gone)).toBe(false);
  });

  it('is false for any other error', () => {
    for (const error of [new Error('x'), undefined, 'ECONNREFUSED', { code: 'address-not-allowed' }])
      expect(isUnsent(error)).toBe(false);
  });
});
