import { describe, expect, it } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refuseAddress } from './invalid-address.js';

function told(url: string): unknown[] {
  const sent: unknown[] = [];
  const reply = {
    header: (name: string, value: string) => (sent.push(`${name}: ${value}`), reply),
    status: (status: number) => (sent.push(status), reply),
    send: (body: object) => sent.push(body),
  };
  refuseAddress(
    { statusCode: 400 },
    { id: 'r1', method: 'GET', url } as FastifyRequest,
    reply as unknown as FastifyReply,
  );
  return sent;
}

describe('an address with a broken escape', () => {
  const type = 'invalid_request_error';
  it.each<[string, (message: string) => object]>([
    ['/v1/models/%ff', (message) => ({ error: { message, type, param: '', code: '' } })],
    ['/v1/engines/%ff/embeddings', (message) => ({ error: { message, type, param: '', code: '' } })],
    ['/v1/messages/%ff', (message) => ({ type: 'error', error: { type, message }, request_id: 'r1' })],
    ['/v1beta/models/%ff', (message) => ({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } })],
    ['/mj/task/%ff/fetch', (description) => ({ description, type: 'upstream_error', code: 4 })],
    ['/mj-fast/mj/task/%ff/fetch', (description) => ({ description, type: 'upstream_error', code: 4 })],
  ])('%s is refused in its dialect', (path, body) => {
    const message = `Invalid URL (GET ${path}) (request id: r1)`;
    expect(told(`${path}?x=1`)).toEqual(['X-Oneapi-Request-Id: r1', 400, body(message)]);
  });

  it.each(['/api/token/%ff', '/%ff', '/dashboard/billing/%ff'])('%s is refused as an unknown path is', (path) => {
    const message = `Invalid URL (GET ${path})`;
    const error = { message, type, param: '', code: '' };
    expect(told(path)[2]).toEqual({ error, success: false, message });
  });

  it('is refused to creative tasks, and echoed within bounds', () => {
    expect(told('/suno/fetch/%ff')[2]).toEqual({
      ...{ code: 'invalid_request', message: 'Invalid URL (GET /suno/fetch/%ff)', data: null },
    });
    expect(JSON.stringify(told(`/${'x'.repeat(4000)}%ff`)[2]).length).toBeLessThan(700);
  });
});
