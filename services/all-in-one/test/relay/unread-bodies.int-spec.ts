import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import { gateway } from '@tollgate/gateway';
import { type Listener, listen } from '@tollgate/chassis';
import {
  type FakeUpstream,
  type ServiceHarness,
  type TestBed,
  startFakeUpstream,
  startServices,
  startTestBed,
} from '@tollgate/testing';
import { MODELS } from '../support/relay-site.js';

const MB = 1024 * 1024;
const PATH = '/v1/chat/completions';

/** Sends a head and the given part of a body, then only reads; sends `onAsked` after the server's `100 Continue`. */
function converse(url: string, head: string[], body: Buffer | string = '', onAsked = ''): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let heard = '';
    socket.setTimeout(15_000, () => socket.destroy(new Error(`no end after: ${heard}`)));
    socket.on('data', (piece: Buffer) => {
      heard += piece.toString();
      if (piece.toString().startsWith('HTTP/1.1 100 ')) socket.write(onAsked);
    });
    socket.on('end', () => resolve(heard));
    socket.on('error', reject);
    socket.write(`${[...head, '', ''].join('\r\n')}`);
    socket.write(body);
  });
}

const headOf = (headers: Record<string, string | number>, path = PATH): string[] => [
  `POST ${path} HTTP/1.1`,
  'host: localhost',
  'content-type: application/json',
  ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
];

const bodyOf = (extra: Record<string, unknown> = {}, content = 'three plain words'): string =>
  JSON.stringify({ model: MODELS.openai, messages: [{ role: 'user', content }], max_tokens: 100, ...extra });

describe('a body', () => {
  let testBed: TestBed;
  let upstream: FakeUpstream;
  let relay: Listener;
  let front: ServiceHarness;
  let door: Listener;
  let rich: string;
  let poor: string;
  let spent: string;
  let elsewhere: string;
  const urls = { 'in one process': '', 'through a gateway of its own process': '' };

  beforeAll(async () => {
    upstream = await startFakeUpstream();
    testBed = await startTestBed(allServices, { TOLLGATE_BODIES_PER_USER_MB: '16', TOLLGATE_PUBLIC_METRICS: 'on' });
    for (const [type, models] of [
      [1, 'gpt-4o'],
      [14, MODELS.anthropic],
    ] as const)
      await testBed.channel({ name: `type ${type}`, type, base_url: upstream.url, models });
    const user = await testBed.user('rich', 100_000_000);
    rich = await testBed.token(user);
    spent = await testBed.token(user, { unlimited_quota: false, remain_quota: 0 });
    elsewhere = await testBed.token(user, { allow_ips: '192.0.2.7' });
    poor = await testBed.token(await testBed.user('poor', 0));
    relay = await listen(testBed.process.services.get('relay')!.app, '127.0.0.1', 0);
    front = await startServices([gateway], { TOLLGATE_SERVICES: `relay=http://127.0.0.1:${relay.port}` });
    door = await listen(front.process.services.get('gateway')!.app, '127.0.0.1', 0);
    urls['in one process'] = testBed.url;
    urls['through a gateway of its own process'] = `http://127.0.0.1:${door.port}`;
  }, 120_000);
  afterAll(async () => {
    await door?.drain(0);
    await front?.close();
    await relay?.drain(0);
    await testBed?.close();
    await upstream?.close();
  });
  beforeEach(() => upstream.reset());

  describe.each(['in one process', 'through a gateway of its own process'] as const)('%s', (hosting) => {
    const send = async (key: string, body: string | Buffer, headers: Record<string, string> = {}, path = PATH) => {
      const reply = await fetch(urls[hosting] + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : new Uint8Array(body),
      });
      const json = (await reply.json()) as { error?: { message: string; type: string; code: string; param: string } };
      return { status: reply.status, headers: reply.headers, error: json.error };
    };
    const callers = (): [string, string, number, string][] => [
      ['nobody', '', 401, '未提供令牌'],
      ['a stranger', `sk-${'a1'.repeat(24)}`, 401, '无效的令牌'],
      ['an empty wallet', poor, 403, 'user quota is not enough'],
      ['a token without quota', spent, 401, '该令牌额度已用尽'],
      ['a foreign address', elsewhere, 403, '您的 IP 不在令牌允许访问的列表中'],
    ];

    // The gateway passes a request on with the first bytes of its body.
    const isPassed = hosting !== 'in one process';
    const stated = [{ 'content-length': 60 * MB }, isPassed ? ' ' : ''] as const;
    const chunked = [{ 'transfer-encoding': 'chunked' }, isPassed ? '1\r\n \r\n' : ''] as const;

    it('of a refused caller is not read, and the connection is closed', async () => {
      for (const [, key, status, text] of callers()) {
        for (const [length, first] of [stated, chunked]) {
          const auth: Record<string, string> = key === '' ? {} : { authorization: `Bearer ${key}` };
          const heard = await converse(urls[hosting], headOf({ ...auth, ...length }), first);
          expect(heard).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
          expect(heard.toLowerCase()).toContain('connection: close');
          expect(heard).toContain(text);
        }
      }
    }, 60_000);

    it('of a refused caller gets no 100 Continue', async () => {
      const expects = { expect: '100-continue', 'content-length': bodyOf().length, connection: 'close' };
      if (!isPassed) expect(await converse(urls[hosting], headOf(expects))).toMatch(/^HTTP\/1.1 401 /);
      const head = headOf({ ...expects, authorization: `Bearer ${rich}` });
      const served = await converse(urls[hosting], head, '', bodyOf());
      expect(served).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 /);
    });

    it('of a refused caller does not delay the reply while it is being sent', async () => {
      for (const [, key, status] of callers().slice(1)) {
        const reply = await send(key, Buffer.alloc(8 * MB, 0x20));
        expect(reply.status).toBe(status);
      }
      // A client that sends everything before it reads.
      const answer = await new Promise<number | undefined>((resolve, reject) => {
        const client = httpRequest(urls[hosting] + PATH, { method: 'POST', agent: false }, (response) =>
          resolve(response.resume().statusCode),
        );
        client.on('error', reject);
        client.end(Buffer.alloc(2 * MB, 0x20));
      });
      expect(answer).toBe(401);
    }, 60_000);

    it('that is small is validated before the balance, as documented', async () => {
      const answer = await send(poor, '{"messages":[{"role":"user","content":"x"}]}');
      expect([answer.status, answer.error?.message]).toEqual([400, expect.stringContaining('model is required')]);
      expect(await send(poor, bodyOf())).toMatchObject({ status: 403, error: { code: 'insufficient_user_quota' } });
    });

    it('that decompresses to too much is refused as soon as the limit is reached', async () => {
      const bomb = Buffer.alloc(60 * MB);
      const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
      for (const [coding, packed] of [
        ['gzip', gzipSync(bomb)],
        ['br', brotliCompressSync(bomb, quality)],
      ] as const) {
        expect(await send(poor, packed, { 'content-encoding': coding })).toMatchObject({ status: 403 });
        expect(await send(rich, packed, { 'content-encoding': coding })).toMatchObject({
          status: 413,
          error: { code: 'body_too_large' },
        });
      }
      const well = gzipSync(bodyOf({}, 'plain words '.repeat(50_000)));
      expect((await send(rich, well, { 'content-encoding': 'gzip' })).status).toBe(200);
      expect(upstream.served()).toBe(1);
    }, 60_000);

    it('is refused beside too many others of its user, and accepted when they ended', async () => {
      const large = bodyOf({}, 'words '.repeat((20 * MB) / 6));
      for (let turn = 0; turn < 3; turn += 1) {
        const full = await send(rich, large);
        expect([full.status, full.headers.get('retry-after'), full.error?.code]).toEqual([
          503,
          '1',
          'too_many_bytes_in_flight',
        ]);
        expect((await send(rich, bodyOf({}, 'words '.repeat((5 * MB) / 6)))).status).toBe(200);
      }
      const anthropic = await send(rich, large, {}, '/v1/messages');
      expect([anthropic.status, anthropic.headers.get('retry-after'), anthropic.error?.type]).toEqual([
        503,
        '1',
        'new_api_error',
      ]);
      const metrics = await (await fetch(`${testBed.url}/metrics`)).text();
      expect(metrics).toMatch(/tollgate_relay_body_bytes\{[^}]*\} 0\n/);
      expect(metrics).toMatch(/tollgate_relay_refused_bodies_total\{reason="too_many_bytes_in_flight"[^}]*\} \d/);
    }, 60_000);

    it('of a client that disconnects in the middle is released', async () => {
      const socket = connect(Number(new URL(urls[hosting]).port), '127.0.0.1');
      const head = headOf({ authorization: `Bearer ${rich}`, 'content-length': 10 * MB });
      socket.write(`${[...head, '', ''].join('\r\n')}`);
      await new Promise((resolve) => socket.write(Buffer.alloc(2 * MB, 0x20), resolve));
      socket.destroy();
      for (let turn = 0; turn < 4; turn += 1)
        expect((await send(rich, bodyOf({}, 'words '.repeat((5 * MB) / 6)))).status).toBe(200);
    }, 60_000);

    it('to an unknown path is not read', async () => {
      const unknown = await converse(urls[hosting], headOf(stated[0], '/v1/nothing'), stated[1]);
      expect(unknown).toMatch(/^HTTP\/1.1 404 /);
      const later = await converse(urls[hosting], headOf(stated[0], '/v1/files'), stated[1]);
      expect(later).toMatch(/^HTTP\/1.1 401 /);
    });
  });

  it('of a console call is not read when it is too large or the caller is unknown', async () => {
    const login = await converse(testBed.url, headOf({ 'content-length': 60 * MB }, '/api/user/login'));
    expect(login).toMatch(/^HTTP\/1.1 413 /);
    const option = await converse(testBed.url, [
      'PUT /api/option/ HTTP/1.1',
      'host: localhost',
      'content-type: application/json',
      `content-length: ${3 * MB}`,
      '',
      '',
    ]);
    expect(option).toMatch(/^HTTP\/1.1 401 /);
    const play = await converse(testBed.url, headOf({ 'content-length': 60 * MB }, '/pg/chat/completions'));
    expect(play).toMatch(/^HTTP\/1.1 401 /);
  }, 60_000);
});
