import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import { allRoutes } from '@tollgate/contracts';
import { ROOT, type TestBed, startTestBed } from '@tollgate/testing';
import { describeCrossOrigin } from './cross-origin.js';
import { expectCleanErrorReply, expectSuccess, NO_OBJECTS, type Plain, plain, proofOf } from './support.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const REQUEST_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Calls without a body. */
const BODILESS = new Set(['fixAbilities', 'resetModelRatio', 'createDemonstration']);
/** Calls that begin a flow; their body is optional. */
const OPTIONAL_BODY = new Set(['beginPasskeyLogin', 'setUpTotp', 'beginPasskey']);

describe('the gateway in front of the API', () => {
  let testBed: TestBed;

  beforeAll(async () => {
    testBed = await startTestBed(allServices);
  }, 120_000);
  afterAll(() => testBed?.close());

  describe('request ids', () => {
    it.each([
      ['GET', '/api/status'],
      ['GET', '/api/nothing'],
      ['GET', '/api/user/self'],
      ['GET', '/'],
      ['GET', '/assets/none.js'],
      ['GET', '/v1/models'],
      ['GET', '/v1/nothing'],
      ['OPTIONS', '/v1/chat/completions'],
      ['HEAD', '/api/status'],
    ] as const)('are set by the gateway on the reply to %s %s, whatever the client sends', async (method, path) => {
      const claimed = '01a1fc3f-0000-7000-8000-000000000000';
      const replies = await Promise.all(
        [1, 2].map(() => plain(testBed, method, path, { headers: { 'x-oneapi-request-id': claimed } })),
      );
      const ids = replies.map((reply) => reply.headers.get('x-oneapi-request-id'));
      for (const id of ids) expect(id).toMatch(REQUEST_ID);
      expect(new Set([...ids, claimed]).size).toBe(3);
    });
  });

  describe('unknown paths', () => {
    it.each([
      ['GET', '/api/nothing'],
      ['POST', '/api/nothing'],
      ['PUT', '/api/status'],
      ['DELETE', '/api/status'],
      ['PATCH', '/api/user/self'],
      ['GET', '/api/oauth/nobody'],
      ['GET', '/api/docs/assets/none.js'],
      ['GET', '/api'],
      ['GET', '/api/'],
      ['GET', '/assets/none.js'],
      ['GET', '/internal/resolve-users'],
      ['POST', '/internal/resolve-users'],
      ['OPTIONS', '/api/status'],
      ['GET', '/dashboard/billing/nothing'],
      ['GET', '//api/status'],
      ['POST', '//api/user/login'],
      ['GET', '///v1/models'],
      ['GET', '/api/mj/nothing'],
      ['POST', '/api/mj/self'],
      ['OPTIONS', '/api/mj/self'],
      ['POST', '/assets/mj/nothing'],
    ] as const)('%s %s answers 404 with an error in the form of OpenAI', async (method, path) => {
      const reply = await plain(testBed, method, path);
      expect(reply.status).toBe(404);
      expect(JSON.parse(reply.text)).toMatchObject({
        success: false,
        error: { message: `Invalid URL (${method} ${path})`, type: 'invalid_request_error', param: '', code: '' },
      });
    });

    it.each(['/v1/nothing', '/v1'])('GET %s answers 404 with an error in its dialect', async (path) => {
      const reply = await plain(testBed, 'GET', path);
      expect(reply.status).toBe(404);
      expect(JSON.parse(reply.text)).toMatchObject({ error: { type: 'invalid_request_error', param: '', code: '' } });
      expect((JSON.parse(reply.text) as { error: { message: string } }).error.message).toBe(
        `Invalid URL (GET ${path})`,
      );
    });

    it.each([
      ['GET', '/mj/nothing'],
      ['GET', '/mj-fast/mj/nothing'],
      ['POST', '/mj-fast/mj/nothing/at/all'],
      ['GET', '/mj/submit/imagine'],
      ['GET', '/mj-fast/mj/submit/imagine'],
      ['PUT', '/mj-fast/mj/submit/imagine'],
    ] as const)('%s %s answers 404 with an error of Midjourney', async (method, path) => {
      const reply = await plain(testBed, method, path);
      expect(reply.status).toBe(404);
      expect(JSON.parse(reply.text)).toEqual({
        description: expect.stringContaining(`Invalid URL (${method} ${path})`),
        ...{ type: 'invalid_request_error', code: 4 },
      });
    });

    it.each([
      ['OPTIONS', '/api/status', undefined],
      ['PATCH', '/api/user/self', undefined],
      ['POST', '/api/nothing', '{"half": '],
      ['POST', '/api/mj/nothing', '{"half": '],
      ['PUT', '/api/status', '{"one": 1, "one": 2}'],
    ] as const)('%s %s answers 404 also with a body of JSON that cannot be read: %j', async (method, path, body) => {
      const headers = { 'content-type': 'application/json' };
      const reply = await plain(testBed, method, path, { headers, ...(body !== undefined && { body }) });
      expect(reply.status).toBe(404);
      expect(JSON.parse(reply.text)).toMatchObject({
        success: false,
        error: { message: `Invalid URL (${method} ${path})`, type: 'invalid_request_error' },
      });
    });

    it('does not repeat a long path in the error', async () => {
      const reply = await plain(testBed, 'GET', `/api/${'x'.repeat(4000)}`);
      expect(reply.status).toBe(404);
      expect(reply.text.length).toBeLessThan(1000);
    });
  });

  describe('the console page', () => {
    it.each(['/', '/token', '/channel/edit/5', '/login?expired=true', '/not/a/page'])(
      'is served at %s, uncached, with a content security policy',
      async (path) => {
        const reply = await plain(testBed, 'GET', path);
        expect(reply.status).toBe(200);
        expect(reply.headers.get('content-type')).toContain('text/html');
        expect(reply.headers.get('cache-control')).toBe('no-cache');
        expect(reply.headers.get('content-security-policy')).toMatch(
          /default-src 'self'.*object-src 'none'.*frame-ancestors 'self'/,
        );
        expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
        expect(reply.headers.get('x-frame-options')).toBe('SAMEORIGIN');
        expect(reply.headers.get('referrer-policy')).not.toBeNull();
        expect(reply.text).toContain('<div id="root">');
      },
    );

    it('is answered without a body to HEAD', async () => {
      const [page, status] = await Promise.all([plain(testBed, 'HEAD', '/'), plain(testBed, 'HEAD', '/api/status')]);
      expect([page.status, page.text, status.status, status.text]).toEqual([200, '', 200, '']);
    });

    const firstAsset = async (): Promise<string> =>
      /(?:src|href)="(\/assets\/[^"]+\.js)"/.exec((await plain(testBed, 'GET', '/')).text)?.[1] ?? '';

    it('has files with a hash in their names, which are cached for good', async () => {
      const reply = await plain(testBed, 'GET', await firstAsset());
      expect([reply.status, reply.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
    });

    it('has a logo whose address stays the same, which is cached for a week', async () => {
      const reply = await plain(testBed, 'GET', '/logo.png');
      expect([reply.status, reply.headers.get('cache-control')]).toEqual([200, 'max-age=604800']);
    });

    it.each([
      ['br', 'gzip, deflate, br', 'br'],
      ['gzip', 'gzip', 'gzip'],
      ['nothing', 'identity', null],
    ])('has files that are sent with %s to clients that accept it', async (_, accepted, coding) => {
      const asset = await firstAsset();
      for (const path of ['/', asset]) {
        const reply = await plain(testBed, 'GET', path, { headers: { 'accept-encoding': accepted } });
        expect([reply.status, reply.headers.get('content-encoding')]).toEqual([200, coding]);
        expect(reply.headers.get('vary')).toMatch(/accept-encoding/i);
        expect(reply.headers.get('content-type')).toMatch(path === '/' ? /^text\/html/ : /javascript/);
        expect(reply.text.length).toBeGreaterThan(500);
      }
      const plainly = await plain(testBed, 'GET', asset, { headers: { 'accept-encoding': 'identity' } });
      const coded = await plain(testBed, 'GET', asset, { headers: { 'accept-encoding': accepted } });
      expect(coded.text).toBe(plainly.text);
      expect((await plain(testBed, 'GET', `${asset}.br`)).headers.get('content-type')).not.toMatch(/javascript/);
    });
  });

  describe('over TLS', () => {
    it('sends Strict-Transport-Security on pages, replies and refusals, and only over TLS', async () => {
      const { env } = testBed.host;
      const { TOLLGATE_SECURE_COOKIES: before } = env;
      const paths = ['/', '/api/status', '/api/user/self', '/v1/models', '/nothing'];
      const headers = async (): Promise<(string | null)[]> =>
        Promise.all(
          paths.map(async (path) => (await plain(testBed, 'GET', path)).headers.get('strict-transport-security')),
        );
      expect(new Set(await headers())).toEqual(new Set([null]));
      try {
        env.TOLLGATE_SECURE_COOKIES = 'always';
        expect(new Set(await headers())).toEqual(new Set(['max-age=31536000']));
      } finally {
        env.TOLLGATE_SECURE_COOKIES = before;
      }
    });
  });

  describeCrossOrigin(() => testBed);

  describe('compression', () => {
    it('compresses a reply of the console API when the client accepts gzip', async () => {
      const asked = await fetch(`${testBed.url}/api/status`, { headers: { 'accept-encoding': 'gzip' } });
      const plainly = await fetch(`${testBed.url}/api/status`, { headers: { 'accept-encoding': 'identity' } });
      expect([asked.headers.get('content-encoding'), plainly.headers.get('content-encoding')]).toEqual(['gzip', null]);
      expect([asked.headers.get('vary'), plainly.headers.get('vary')]).toEqual([
        expect.stringMatching(/accept-encoding/i),
        expect.stringMatching(/accept-encoding/i),
      ]);
      expect(await asked.json()).toEqual(await plainly.json());
    });

    it('leaves small replies, replies with cookies and replies to clients without gzip uncompressed', async () => {
      const small = await fetch(`${testBed.url}/api/notice`, { headers: { 'accept-encoding': 'gzip' } });
      const refused = await fetch(`${testBed.url}/api/status`, {
        headers: { 'accept-encoding': 'gzip;q=0, identity' },
      });
      expect([small.headers.get('content-encoding'), refused.headers.get('content-encoding')]).toEqual([null, null]);
      const login = await plain(testBed, 'POST', '/api/user/login', {
        headers: { ...JSON_TYPE, 'accept-encoding': 'gzip' },
        body: JSON.stringify(ROOT),
      });
      expect(login.headers.getSetCookie()).toHaveLength(1);
    });

    it('states the compressed length', async () => {
      const reply = await fetch(`${testBed.url}/api/models`, {
        headers: { ...proofOf(testBed.root), 'accept-encoding': 'gzip, br' },
      });
      const text = await reply.text();
      expect(reply.headers.get('content-encoding')).toBe('gzip');
      expect(Number(reply.headers.get('content-length'))).toBeLessThan(text.length);
      expect(gunzipSync).toBeDefined();
    });
  });

  describe('replies of the console API', () => {
    it.each(['/api/status', '/api/user/self', '/api/token/', '/api/nothing'])(
      '%s has no-store and nosniff headers',
      async (path) => {
        const reply = await plain(testBed, 'GET', path, { headers: proofOf(testBed.root) });
        expect([reply.headers.get('cache-control'), reply.headers.get('x-content-type-options')]).toEqual([
          'no-store',
          'nosniff',
        ]);
      },
    );
  });

  describe('the playground', () => {
    const ask = (headers: Record<string, string>): Promise<Plain> =>
      plain(testBed, 'POST', '/pg/chat/completions', {
        headers: { ...JSON_TYPE, ...headers },
        body: '{"model":"gpt-4o","messages":[]}',
      });

    it.each([
      ['nobody', {}, 401, '无权进行此操作，未登录且未提供 access token'],
      [
        'a system access token',
        { authorization: 'Bearer some-token', 'new-api-user': '1' },
        400,
        '暂不支持使用 access token',
      ],
    ])('refuses %s with an error in the forms of console and OpenAI', async (_, headers, status, message) => {
      const reply = await ask(headers);
      expect(reply.status).toBe(status);
      expect(JSON.parse(reply.text)).toMatchObject({
        success: false,
        message,
        error: { message: expect.stringContaining(message), type: 'new_api_error', param: '' },
      });
    });

    it('refuses a session without its user id', async () => {
      const reply = await ask({ cookie: testBed.root.cookie });
      expect([reply.status, (JSON.parse(reply.text) as { message: string }).message]).toEqual([
        401,
        '无权进行此操作，未提供 New-Api-User',
      ]);
    });
  });

  describe('bodies', () => {
    const rows = allRoutes.filter(
      ({ owner, method, operationId, isCallback }) =>
        owner !== 'relay' && (method === 'POST' || method === 'PUT') && !BODILESS.has(operationId) && !isCallback,
    );
    const cases = rows.flatMap((row) =>
      NO_OBJECTS.filter(
        ([label]) => !(OPTIONAL_BODY.has(row.operationId) && (label === 'an empty body' || label === 'null')),
      ).map(([label, body]) => [`${row.method} ${row.path}`, label, row, body] as const),
    );

    it.each(cases)('%s refuses %s', async (_, __, row, body) => {
      const reply = await testBed.root.call(row.method, row.path, body);
      expectCleanErrorReply(reply);
    });

    it.each([
      'application/json; charset=utf-8',
      'text/plain;charset=UTF-8',
      'application/x-www-form-urlencoded',
      'application/octet-stream',
    ])('are accepted as JSON with the content type %s from a caller with session and user id', async (type) => {
      const body = JSON.stringify({ display_name: 'Root User' });
      expectSuccess(await testBed.root.call('PUT', '/api/user/self', body, { 'content-type': type }));
    });

    it.each(['text/plain;charset=UTF-8', 'application/x-www-form-urlencoded', 'application/octet-stream', ''])(
      'of visitors are accepted as JSON with the content type "%s", except from a browser',
      async (type) => {
        const login = await testBed
          .visitor()
          .call('POST', '/api/user/login', JSON.stringify(ROOT), { 'content-type': type });
        expectSuccess(login);
        const headers = { 'content-type': type, origin: new URL(testBed.url).origin };
        for (const path of ['/api/user/login', '/api/user/register', '/api/setup']) {
          const reply = await testBed.visitor().call('POST', path, JSON.stringify(ROOT), headers);
          expect([reply.status, reply.body]).toEqual([
            415,
            expect.objectContaining({ success: false, code: 'json-only' }),
          ]);
        }
      },
    );

    it.each([
      ['POST', '/api/channel/fix'],
      ['DELETE', '/api/channel/disabled'],
      ['POST', '/api/option/rest_model_ratio'],
    ] as const)('may be empty with a JSON content type where %s %s needs none', async (method, path) => {
      const reply = await plain(testBed, method, path, { headers: { ...proofOf(testBed.root), ...JSON_TYPE } });
      expect([reply.status, (JSON.parse(reply.text) as { success: boolean }).success]).toEqual([200, true]);
    });

    it('above the limit are refused without being read', async () => {
      const reply = await testBed.root.call(
        'PUT',
        '/api/user/self',
        JSON.stringify({ display_name: 'x'.repeat(2 * 1024 * 1024) }),
      );
      expect([reply.status, reply.body.success, reply.body.message]).toEqual([413, false, '请求体过大']);
    });
  });
});
