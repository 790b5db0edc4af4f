import { describe, expect, it } from '@jest/globals';
import Fastify, { type FastifyRequest } from 'fastify';
import { isLocal } from './local-caller.js';

async function judge(
  { from = '127.0.0.1', host = 'localhost:3000', headers = {} as Record<string, string> },
  trustProxy: string | false = false,
): Promise<boolean> {
  const app = Fastify({ trustProxy });
  app.get('/', (request) => ({ local: isLocal(request) }));
  const reply = await app.inject({ method: 'GET', url: '/', remoteAddress: from, headers: { host, ...headers } });
  await app.close();
  return reply.json<{ local: boolean }>().local;
}

describe('isLocal', () => {
  it.each([
    ['a browser', { host: 'localhost:3000' }],
    ['an address', { host: '127.0.0.1:3000' }],
    ['IPv6', { from: '::1', host: '[::1]:3000' }],
    ['IPv4 in IPv6', { from: '::ffff:127.0.0.1', host: 'localhost' }],
  ])('takes %s on this machine', async (_, visit) => {
    expect(await judge(visit)).toBe(true);
  });

  it.each([
    ['another machine', { from: '203.0.113.7' }],
    ['the machine that runs our container', { from: '172.17.0.1' }],
    [
      'another machine that claims to be this one',
      { from: '203.0.113.7', headers: { 'x-forwarded-for': '127.0.0.1' } },
    ],
    ['a proxy here that nobody trusts', { headers: { 'x-forwarded-for': '203.0.113.7' } }],
    [
      'a proxy here that speaks for this machine, but that nobody trusts',
      { headers: { 'x-forwarded-for': '127.0.0.1' } },
    ],
    ['a proxy here by another header', { headers: { 'x-real-ip': '203.0.113.7' } }],
    ['a proxy here by the header of the standard', { headers: { forwarded: 'for=203.0.113.7' } }],
    ['a proxy here that only names itself', { headers: { via: '1.1 proxy' } }],
    ['a page whose name was led to this machine', { host: 'evil.example:3000' }],
    ['a name that begins like ours', { host: 'localhost.evil.example' }],
  ])('does not take %s', async (_, visit) => {
    expect(await judge(visit)).toBe(false);
  });

  it('rejects a proxy on this machine that sends no proxy headers, as proxies do by default', () => {
    const request = { headers: {}, host: '127.0.0.1:3000', ip: '127.0.0.1' };
    expect(isLocal({ ...request, raw: { httpVersion: '1.1' } } as FastifyRequest)).toBe(true);
    expect(isLocal({ ...request, raw: { httpVersion: '1.0' } } as FastifyRequest)).toBe(false);
  });

  it('uses the client address that a trusted proxy on this machine states', async () => {
    const by = (client: string) => ({ headers: { 'x-forwarded-for': client } });
    expect(await judge(by('127.0.0.1'), '127.0.0.1')).toBe(true);
    expect(await judge(by('203.0.113.7'), '127.0.0.1')).toBe(false);
    // A proxy appends to the header, so what the client wrote itself is further left.
    expect(await judge(by('127.0.0.1, 203.0.113.7'), '127.0.0.1')).toBe(false);
    expect(await judge({ headers: { 'x-real-ip': '203.0.113.7' } }, '127.0.0.1')).toBe(false);
  });
});
