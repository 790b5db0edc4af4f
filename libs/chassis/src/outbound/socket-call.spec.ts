import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RawData, WebSocketServer } from 'ws';
import { parseAllowance } from './address-policy.js';
import { OutboundClient } from './outbound-client.js';
import { callBySocket, collectBySocket, type SocketCall } from './socket-call.js';

const MEGABYTE = 1024 * 1024;

describe('a question by web socket', () => {
  const outbound = new OutboundClient(parseAllowance(''));
  let server: WebSocketServer;
  let url: string;
  /** Close frames received by the server. */
  const closed: Promise<unknown>[] = [];

  beforeAll(async () => {
    server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    server.on('connection', (socket) => {
      closed.push(once(socket, 'close'));
      socket.on('error', () => undefined);
      socket.on('message', (data: RawData) => {
        const said = String(data);
        if (said === 'large') socket.send('x'.repeat(11 * MEGABYTE));
        else if (said === 'bye') socket.close();
        else if (said !== 'silence') for (const one of ['{"n":\n1}', 'two', 'last', 'never']) socket.send(one);
      });
    });
    await once(server, 'listening');
    url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/v1/chat`;
  });
  afterAll(async () => {
    await outbound.cut();
    for (const client of server.clients) client.terminate();
    server.close();
  });

  const question = (message: string, details: Partial<SocketCall> = {}): SocketCall => ({
    ...{ url, headers: {}, timeoutMs: 5000, idleMs: 5000 },
    message: Buffer.from(message),
    isLast: (said) => said === 'last',
    ...details,
  });
  const ask = async (message: string, details: Partial<SocketCall> = {}) => {
    const told: string[] = [];
    let settle: (how: string) => void = () => undefined;
    const over = new Promise<string>((resolve) => (settle = resolve));
    const answer = await callBySocket(outbound, question(message, details), {
      data: (event) => void told.push(event.toString()),
      end: () => settle('end'),
      error: ({ code }) => settle(code ?? 'error'),
    });
    return { told, over, answer };
  };

  it('is answered by events, up to the last message', async () => {
    const { told, over } = await ask('hello');
    expect(await over).toBe('end');
    expect(told).toEqual(['data: {"n":\ndata: 1}\n\n', 'data: two\n\n', 'data: last\n\n']);
    await closed.at(-1);
  });

  it('ends when the connection closes, when no message arrives in time, and when a message is too large', async () => {
    expect(await (await ask('bye')).over).toBe('end');
    expect(await (await ask('silence', { idleMs: 30 })).over).toBe('ETIMEDOUT');
    expect(await (await ask('large')).over).toBe('WS_ERR_UNSUPPORTED_MESSAGE_LENGTH');
    await Promise.all(closed);
  });

  it('reports nothing after an abort, and closes the connection', async () => {
    const { told, over, answer } = await ask('silence');
    answer.abort();
    await closed.at(-1);
    const late = new Promise((resolve) => setImmediate(() => resolve('nothing')));
    expect(await Promise.race([over, late])).toBe('nothing');
    expect(told).toEqual([]);
  });

  it('connects only where the outbound client may, and can be collected as one body', async () => {
    const elsewhere = question('hello', { url: 'ws://169.254.169.254/x' });
    await expect(collectBySocket(outbound, elsewhere, MEGABYTE)).rejects.toMatchObject({ code: 'address-not-allowed' });
    const whole = await collectBySocket(outbound, question('hello'), MEGABYTE);
    expect([whole.status, whole.body.toString().endsWith('data: last\n\n')]).toEqual([200, true]);
    await expect(collectBySocket(outbound, question('hello'), 20)).rejects.toMatchObject({ code: 'reply-too-large' });
    await expect(collectBySocket(outbound, question('silence', { idleMs: 30 }), 20)).rejects.toMatchObject({
      code: 'unreachable',
    });
  });
});
