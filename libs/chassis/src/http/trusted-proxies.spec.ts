import { describe, expect, it } from '@jest/globals';
import type { IncomingMessage } from 'node:http';
import fastify from 'fastify';
import { ClientAddresses, trustedProxies } from './trusted-proxies.js';

const TRUSTED =
  'loopback, uniquelocal, 203.0.113.0/24, 198.51.100.7, 100.64.0.0/255.192.0.0, 2001:db8::/32, ::ffff:9.0.0.0/104';

/** What Fastify derives from the same request. */
async function byFastify(remoteAddress: string, headers: Record<string, string>): Promise<[string, string]> {
  const app = fastify({ trustProxy: trustedProxies({ TOLLGATE_TRUSTED_PROXIES: TRUSTED }) });
  let found: [string, string] = ['', ''];
  app.get('/', (request, reply) => {
    found = [request.ip, request.protocol];
    return reply.send();
  });
  await app.inject({ url: '/', remoteAddress, headers });
  await app.close();
  return found;
}

describe('ClientAddresses', () => {
  const addresses = new ClientAddresses(trustedProxies({ TOLLGATE_TRUSTED_PROXIES: TRUSTED }));

  it.each<[string, string, Record<string, string>]>([
    ['nobody in between', '192.0.2.1', {}],
    ['a stranger who claims to be somebody else', '192.0.2.1', { 'x-forwarded-for': '10.0.0.1' }],
    ['one proxy', '127.0.0.1', { 'x-forwarded-for': '192.0.2.9' }],
    ['two proxies', '10.1.2.3', { 'x-forwarded-for': '192.0.2.9, 203.0.113.8' }],
    ['a proxy behind a stranger', '10.1.2.3', { 'x-forwarded-for': '10.9.9.9, 192.0.2.9, 198.51.100.7' }],
    ['proxies only', '10.1.2.3', { 'x-forwarded-for': '10.9.9.9,100.100.0.1' }],
    ['a proxy that says nothing', '10.1.2.3', {}],
    ['a proxy that says something odd', '10.1.2.3', { 'x-forwarded-for': 'unknown' }],
    ['an IPv4 proxy on an IPv6 socket', '::ffff:10.1.2.3', { 'x-forwarded-for': '192.0.2.9' }],
    ['an IPv4 proxy of a range in the spelling of IPv6', '9.1.2.3', { 'x-forwarded-for': '192.0.2.9' }],
    ['an IPv6 proxy', '2001:db8::5', { 'x-forwarded-for': '2001:db9::1' }],
    ['TLS at a proxy', '10.1.2.3', { 'x-forwarded-proto': 'https' }],
    ['TLS at the last of proxies', '10.1.2.3', { 'x-forwarded-proto': 'http, https' }],
    ['TLS at a stranger', '192.0.2.1', { 'x-forwarded-proto': 'https' }],
  ])('tells what Fastify tells: %s', async (_, remoteAddress, headers) => {
    const request = { headers, socket: { remoteAddress } } as unknown as IncomingMessage;
    const found = [addresses.addressOf(request), addresses.protocolOf(request)];
    expect(found).toEqual(await byFastify(remoteAddress, headers));
  });

  it.each([
    ['192.0.2.9:50312', '192.0.2.9'],
    ['192.0.2.9:50312, 203.0.113.8:443', '192.0.2.9'],
    ['[2001:db9::1]:50312', '2001:db9::1'],
    ['[2001:db9::1]', '2001:db9::1'],
    ['2001:db9::1', '2001:db9::1'],
    ['unknown:1', 'unknown:1'],
  ])('leaves out the port that a balancer adds: %s', (told, address) => {
    const request = { headers: { 'x-forwarded-for': told }, socket: { remoteAddress: '10.1.2.3' } };
    expect(addresses.addressOf(request as unknown as IncomingMessage)).toBe(address);
  });

  it('trusts no proxy if none is configured', () => {
    const request = { headers: { 'x-forwarded-for': '192.0.2.9', 'x-forwarded-proto': 'https' } };
    const raw = { ...request, socket: { remoteAddress: '127.0.0.1' } } as unknown as IncomingMessage;
    const nobody = new ClientAddresses([]);
    expect([nobody.addressOf(raw), nobody.protocolOf(raw)]).toEqual(['127.0.0.1', 'http']);
  });
});
