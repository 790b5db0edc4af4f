import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import { refuseUnreadable } from './unreadable-request.js';

describe('what is no readable request', () => {
  const app = fastify({ clientErrorHandler: refuseUnreadable });
  beforeAll(() => app.listen({ port: 0, host: '127.0.0.1' }));
  afterAll(() => app.close());

  async function replyTo(bytes: string): Promise<{ head: string; body: unknown }> {
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(bytes);
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
    return { head, body: JSON.parse(body) };
  }

  it.each([
    ['too large a head', `GET /?x=${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431, 'headers-too-large'],
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n\r\n', 400, 'unreadable-request'],
  ])('is refused in our shapes: %s', async (_, bytes, status, code) => {
    const { head, body } = await replyTo(bytes);
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*content-type: application/json`, 'i'));
    expect(head).toMatch(/^x-oneapi-request-id: [0-9a-f-]{36}$/im);
    expect(body).toMatchObject({
      success: false,
      code,
      kind: 'invalid',
      error: { code, type: 'invalid_request_error' },
    });
  });
});
