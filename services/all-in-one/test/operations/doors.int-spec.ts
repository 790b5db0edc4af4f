import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type FakeUpstream, readUntil, type TestBed, startFakeUpstream, startTestBed } from '@tollgate/testing';
import { allServices } from '../../src/index.js';

/** Headers that differ between two replies to the same request. */
const OWN = new Set(['date', 'x-oneapi-request-id', 'x-request-id', 'request-id', 'content-length']);
const withoutIds = (text: string): string => text.replaceAll(/[\da-f]{8}-[\da-f-]{27}|req_fake_\d+/g, 'an-id');

interface Call {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

describe('a model call by the fast path and through the framework', () => {
  let upstream: FakeUpstream;
  let testBed: TestBed;
  let key: string;
  beforeAll(async () => {
    upstream = await startFakeUpstream({ behaviour: { tokens: 5 } });
    // The tests call like a trusted proxy, on behalf of other addresses.
    testBed = await startTestBed(allServices, { TOLLGATE_TRUSTED_PROXIES: 'loopback', TOLLGATE_PUBLIC_METRICS: 'on' });
    await testBed.channel({ name: 'open', base_url: upstream.url, models: 'gpt-4o' });
    key = await testBed.token(testBed.root, { allow_ips: '192.0.2.7' });
  }, 60_000);
  afterAll(async () => {
    await testBed?.close();
    await upstream?.close();
  });

  const chat = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] });
  const from = (address: string): Record<string, string> => ({
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'x-forwarded-for': address,
    'x-forwarded-proto': 'https',
  });
  const ask = async (path: string, { method = 'POST', ...call }: Call): Promise<unknown> => {
    const reply = await fetch(`${testBed.url}${path}`, { method, ...call });
    const headers = Object.fromEntries([...reply.headers].filter(([name]) => !OWN.has(name)));
    expect(reply.headers.get('x-oneapi-request-id')).toMatch(/^[\da-f-]{36}$/);
    return { status: reply.status, headers, body: withoutIds(await reply.text()) };
  };

  it.each<[string, string, () => Call]>([
    ['a whole answer', '/v1/chat/completions', () => ({ headers: from('192.0.2.7'), body: chat })],
    ['a balancer that adds ports', '/v1/chat/completions', () => ({ headers: from('192.0.2.7:50312'), body: chat })],
    ['a stranger', '/v1/chat/completions', () => ({ body: chat })],
    ['an address that the key is not for', '/v1/chat/completions', () => ({ headers: from('192.0.2.8'), body: chat })],
    ['no body', '/v1/embeddings', () => ({ headers: from('192.0.2.7') })],
    ['the other dialect', '/v1/messages', () => ({ headers: from('192.0.2.7'), body: '{}' })],
    ['a list of models', '/v1/models', () => ({ method: 'GET', headers: from('192.0.2.7') })],
  ])('get the same reply: %s', async (_, path, call) => {
    // In one process, a query makes the request pass both applications instead of the short path.
    expect(await ask(path, call())).toEqual(await ask(`${path}?any=1`, call()));
  });

  it('are counted the same at gateway and relay', async () => {
    const counted = async (): Promise<number[]> => {
      const page = await (await fetch(`${testBed.url}/metrics`)).text();
      const ofService = (service: string): number =>
        [...page.matchAll(/^tollgate_http_requests_total\{(.*)\} (\d+)$/gm)]
          .filter(([, labels = '']) => labels.includes('"createCompletion"') && labels.includes(`"${service}"`))
          .reduce((sum, [, , value]) => sum + Number(value), 0);
      return [ofService('gateway'), ofService('relay')];
    };
    const call = { headers: from('192.0.2.7'), body: '{}' };
    const before = await counted();
    await ask('/v1/completions', call);
    await ask('/v1/completions?any=1', call);
    const wanted = before.map((count) => count + 2);
    expect(await readUntil(counted, (found) => found.join() === wanted.join(), 5000)).toEqual(wanted);
  });
});
