import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { passwordOf, type Person, scenarios } from '@tollgate/testing';
import { type Arena, chat, RICH, type Scene } from './arena.js';

const PATIENCE_MS = 5_000;

/** Sends the text unchanged; a client library would normalize paths, methods and headers. */
function rawCall(url: string, text: string): Promise<string> {
  const { port } = new URL(url);
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(text, 'latin1'));
    const end = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(end, PATIENCE_MS);
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString('utf8')));
    socket.on('close', end);
    socket.on('error', end);
  });
}

const head = (method: string, path: string, lines: readonly string[] = [], body = ''): string =>
  [`${method} ${path} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...lines, '', body].join('\r\n');

/** Spellings of a path that may deceive code which compares texts. */
const spellingsOf = (path: string): string[] => {
  const [, first = '', ...rest] = path.split('/');
  const tail = rest.join('/');
  return [
    path,
    `/${path}`,
    `//${first}//${tail}`,
    `/${first}/./${tail}`,
    `/${first}/x/../${tail}`,
    `/${first}/%2e/${tail}`,
    `/${first}/%2e%2e/${first}/${tail}`,
    `/${first}%2f${tail}`,
    `/%61${first.slice(1)}/${tail}`,
    `/${first.toUpperCase()}/${tail}`,
    `/${first}/${tail}.`,
    `/${first}/${tail}/.`,
    `/${first}/${tail};x=1`,
    `/${first}/${tail}%00`,
    `/${first}/${tail}%20`,
    `/${first}/${tail}?`,
    `/${first}\\${tail}`,
    `http://localhost${path}`,
    `/v1/..${path}`,
    `/v1/%2e%2e${path}`,
    `/pg/..%2f..${path}`,
    `/assets/..${path}`,
  ];
};

const ADMIN_PATHS = ['/api/user/', '/api/channel/', '/api/option/', '/api/log/', '/internal/users', '/internal/tokens'];
const METHODS = ['GET', 'HEAD', 'POST', 'TRACE', 'PROPFIND', 'get'];

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Headers that an attacker who has read the source would send. */
const FORGED: readonly string[][] = [
  [`x-tollgate-caller: ${base64url({ userId: 1, role: 100, group: 'default', via: 'session', exp: 9e9 })}.AAAA`],
  [`x-tollgate-service: ${base64url({ service: 'gateway', exp: 9e9 })}.AAAA`],
  ['X-Original-URL: /api/status', 'X-Rewrite-URL: /api/status'],
  ['X-HTTP-Method-Override: GET', 'X-Forwarded-For: 127.0.0.1', 'X-Real-IP: 127.0.0.1'],
  ['Connection: x-tollgate-caller, cookie, new-api-user', 'New-Api-User: 1'],
  ['New-Api-User: 1', 'Cookie: session=1; __Host-session=1'],
  ['New-Api-User: 1', 'Authorization: Bearer 1'],
  ['New-Api-User: 1', 'Authorization: Bearer '],
  ['New-Api-User: 1', `Cookie: session=${'a'.repeat(43)}; session=${'b'.repeat(43)}`],
];

/** Callers who request more than they are allowed to. */
export const describeAccessAttacks = (where: string, open: () => Promise<Arena>): void =>
  describe(`callers without a right, ${where}`, () => {
    let arena: Arena;
    let scene: Scene;
    beforeAll(async () => {
      arena = await open();
      scene = await arena.stage(scenarios.claim(3, 2));
    }, 240_000);
    afterAll(() => arena?.close(), 120_000);

    const gives = (answer: string): boolean => /"success":\s*true/.test(answer);
    const call = (text: string): Promise<string> => rawCall(arena.site.url, text);

    it('get nothing reserved to administrators by unusual spellings of path or method', async () => {
      const proofOf = ({ cookie, id }: Person): string[] => [`Cookie: ${cookie}`, `New-Api-User: ${id}`];
      // Shows that the check would detect a successful attack.
      expect(gives(await call(head('GET', '/api/user/', proofOf(arena.site.root))))).toBe(true);
      const proof = proofOf(scene.user);
      for (const path of ADMIN_PATHS)
        for (const lines of [[], proof]) {
          const texts = spellingsOf(path).map((spelling) => head('GET', spelling, lines));
          const others = METHODS.map((method) => head(method, path, [...lines, 'Content-Length: 0']));
          const answers = await Promise.all([...texts, ...others].map(call));
          for (const [index, answer] of answers.entries())
            expect([[...texts, ...others][index]?.split('\r')[0], gives(answer)]).toEqual([expect.any(String), false]);
          expect(
            answers.filter((answer) => / 5\d\d /.test(answer.slice(0, 14)) && !/ 50[15] /.test(answer.slice(0, 14))),
          ).toEqual([]);
        }
      await arena.expectService();
    }, 60_000);

    it('cannot impersonate anybody with forged headers', async () => {
      for (const lines of FORGED)
        for (const path of ['/api/user/', '/api/user/self', '/internal/users', '/api/option/'])
          expect([lines, path, gives(await call(head('GET', path, lines)))]).toEqual([lines, path, false]);
      // The playground trusts a signed caller, and only the gateway has the key to sign.
      for (const lines of FORGED) {
        const body = JSON.stringify({ model: scene.model, messages: [{ role: 'user', content: 'x' }] });
        const answer = await call(
          head(
            'POST',
            '/pg/chat/completions',
            [...lines, 'Content-Type: application/json', `Content-Length: ${body.length}`],
            body,
          ),
        );
        expect([lines, answer.includes('"choices"')]).toEqual([lines, false]);
      }
      expect(scene.endpoint.seen()).toEqual([]);
    }, 60_000);

    it('cannot smuggle a second request behind the first', async () => {
      // A path without authentication, so that a smuggled request would get a visible reply.
      const inner = `GET /api/status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
      expect(gives(await call(inner))).toBe(true);
      const variants = [
        ['Transfer-Encoding: chunked', 'Content-Length: 4'],
        ['Content-Length: 0', `Content-Length: ${inner.length}`],
        ['Transfer-Encoding: xchunked'],
        ['Transfer-Encoding: chunked, identity'],
        ['Transfer-Encoding : chunked'],
      ];
      for (const lines of variants) {
        const text = `POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n${lines.join('\r\n')}\r\n\r\n0\r\n\r\n${inner}`;
        const answer = await call(text);
        expect([lines, gives(answer)]).toEqual([lines, false]);
      }
      await arena.expectService();
    }, 60_000);

    it('cannot switch protocols, nor stop a process with very large headers', async () => {
      const upgrade = [
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        `Sec-WebSocket-Key: ${'a'.repeat(22)}==`,
      ];
      for (const path of ['/api/status', '/v1/chat/completions', '/v1/realtime?model=x', '/api/live', '/'])
        expect([path, (await call(head('GET', path, upgrade))).includes(' 101 ')]).toEqual([path, false]);
      const heavy = [
        head('GET', `/api/status?${'q'.repeat(200_000)}`),
        head('GET', '/api/status', [`X-Long: ${'h'.repeat(200_000)}`]),
        head(
          'GET',
          '/api/status',
          Array.from({ length: 5_000 }, (_, index) => `X-${index}: 1`),
        ),
        head('GET', `/api/log/self?${Array.from({ length: 2_000 }, (_, index) => `a[${index}]=1`).join('&')}`),
        head('GET', '/api/status?a[__proto__][role]=100&constructor[prototype][x]=1'),
      ];
      for (const text of heavy) {
        const answer = await call(text);
        expect([text.slice(0, 60), / 5\d\d /.test(answer.slice(0, 14))]).toEqual([text.slice(0, 60), false]);
      }
      await arena.expectService();
    }, 60_000);

    it('cannot use a key in a place that proxies log', async () => {
      const { key, model } = scene;
      const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'x' }] });
      for (const query of [`key=${key}`, `api_key=${key}`, `access_token=${key}`, `authorization=Bearer%20${key}`]) {
        const answer = await call(
          head(
            'POST',
            `/v1/chat/completions?${query}`,
            ['Content-Type: application/json', `Content-Length: ${body.length}`],
            body,
          ),
        );
        expect([query.split('=')[0], answer.split('\r')[0]]).toEqual([
          query.split('=')[0],
          expect.stringContaining(' 401 '),
        ]);
        expect(answer).not.toContain(key);
      }
    });

    it('cannot use a key from a forbidden address with forged forwarding headers', async () => {
      const { user, model } = scene;
      const key = await arena.site.token(user, { name: 'elsewhere', allow_ips: '203.0.113.7' });
      const claims = [
        {},
        { 'x-forwarded-for': '203.0.113.7' },
        { 'x-real-ip': '203.0.113.7' },
        { forwarded: 'for=203.0.113.7' },
        { 'x-forwarded-for': '203.0.113.7, 127.0.0.1', 'cf-connecting-ip': '203.0.113.7' },
      ];
      for (const headers of claims) {
        const reply = await chat(arena, { key, model }, {}, { headers: headers as Record<string, string> });
        expect([headers, reply.status]).toEqual([headers, 403]);
        for (const path of [
          '/v1/models',
          '/api/log/token',
          '/v1/dashboard/billing/subscription',
          '/v1/dashboard/billing/usage',
        ]) {
          const other = await fetch(`${arena.site.url}${path}`, {
            headers: { authorization: `Bearer ${key}`, ...(headers as Record<string, string>) },
          });
          const text = await other.text();
          const isRefused = other.status >= 400 || /"success":\s*false/.test(text);
          expect([path, headers, isRefused]).toEqual([path, headers, true]);
        }
      }
    });

    it('cannot sign others in or out from a foreign page', async () => {
      const credentials = { username: scene.model, password: passwordOf(scene.model) };
      const foreign: Record<string, string>[] = [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { origin: 'file://' },
        { origin: 'chrome-extension://abcdef' },
        { origin: `${arena.site.url}.evil.example` },
        { 'sec-fetch-site': 'cross-site' },
        // What a form of any page can send; a browser names the page even in a request that it holds for our own.
        { 'sec-fetch-site': 'none', 'content-type': 'text/plain' },
        { origin: arena.site.url, 'content-type': 'application/x-www-form-urlencoded' },
      ];
      for (const headers of foreign)
        for (const path of ['/api/user/login', '/api/user/register', '/api/setup']) {
          const reply = await arena.site.visitor().call('POST', path, credentials, headers);
          expect([path, headers, reply.body.success]).toEqual([path, headers, false]);
          expect(reply.headers.getSetCookie()).toEqual([]);
        }
      const reply = await arena.site.visitor().call('POST', '/api/user/login', credentials);
      expect(reply.body.success).toBe(true);
    });

    it('of role 10 cannot send a stored key to their own address', async () => {
      const admin = await makeAdmin(arena, 'greedy');
      const secret = 'sk-the-stored-key-of-a-channel-000042';
      const victim = await arena.stage(scenarios.claim(3, 2), { channel: { key: secret } });
      const mine = arena.hostile.endpoint(scenarios.claim(3, 2));
      const { channelId: id, model } = victim;
      const changes: Record<string, unknown>[] = [
        { id, base_url: mine.url },
        { id, base_url: mine.url, key: '' },
        { id, base_url: `${mine.url}/`, name: model },
        { id, type: 8, base_url: mine.url },
        { id, setting: JSON.stringify({ proxy: mine.url }) },
        { id, other: mine.url, openai_organization: 'x', base_url: `${mine.url}?` },
      ];
      for (const change of changes) await admin.call('PUT', '/api/channel/', change);
      await admin.call('POST', '/api/channel/fetch_models', { id, base_url: mine.url, type: 1, key: '' });
      await admin.call('GET', `/api/channel/test/${id}?model=${model}`);
      await admin.call('GET', `/api/channel/fetch_models/${id}`);
      await admin.call('GET', `/api/channel/update_balance/${id}`);
      await (await chat(arena, victim)).text();
      const sent = mine.seen().filter(({ headers }) => JSON.stringify(headers).includes(secret));
      expect(sent).toEqual([]);
      const shown = JSON.stringify([
        await admin.call('GET', `/api/channel/${id}`),
        await admin.call('GET', '/api/channel/?p=0&page_size=100'),
        await admin.call('GET', `/api/channel/search?keyword=${secret}&group=&model=`),
      ]);
      expect(shown.includes(secret)).toBe(false);
    }, 60_000);

    it('cannot use a revoked session, access token or key', async () => {
      const user = await arena.site.user('leaver', RICH);
      const key = await arena.site.token(user, { name: 'gone' });
      const token = await user.data<string>('GET', '/api/user/token');
      const byToken = (): Promise<Response> =>
        fetch(`${arena.site.url}/api/user/self`, {
          headers: { authorization: `Bearer ${token}`, 'new-api-user': String(user.id) },
        });
      expect(gives(await (await byToken()).text())).toBe(true);
      const old = user.cookie;
      const next = 'another password';
      await user.data('PUT', '/api/user/self', {
        username: 'leaver',
        display_name: 'leaver',
        password: next,
        original_password: passwordOf('leaver'),
      });
      expect(gives(await (await byToken()).text())).toBe(false);
      const before: Person = arena.site.visitor();
      before.cookie = old;
      before.id = user.id;
      expect((await before.call('GET', '/api/user/self')).body.success).toBe(false);
      const rows = await user
        .data<{ id: number; name: string }[]>('GET', '/api/token/?p=0&size=100')
        .catch(async () => {
          await user.signIn('leaver', next);
          return user.data<{ id: number; name: string }[]>('GET', '/api/token/?p=0&size=100');
        });
      const id = rows.find(({ name }) => name === 'gone')?.id;
      await user.data('PUT', '/api/token/?status_only=true', { id, status: 2 });
      const statuses = async (): Promise<boolean[]> =>
        Promise.all(
          ['/v1/models', '/api/log/token', '/v1/dashboard/billing/subscription', '/v1/dashboard/billing/usage'].map(
            async (path) => {
              const reply = await fetch(`${arena.site.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
              const text = await reply.text();
              return reply.status < 400 && !/"success":\s*false/.test(text);
            },
          ),
        );
      const deadline = Date.now() + PATIENCE_MS;
      while ((await statuses()).includes(true) && Date.now() < deadline)
        await new Promise((done) => setTimeout(done, 100));
      expect(await statuses()).toEqual([false, false, false, false]);
    }, 60_000);

    it('cannot read the metrics of the process', async () => {
      const answer = await call(head('GET', '/metrics'));
      expect(answer).not.toContain('process_resident_memory_bytes');
    });

    it('leave books without faults', () => arena.expectTrueBooks(), 60_000);
  });

async function makeAdmin(arena: Arena, name: string): Promise<Person> {
  const admin = await arena.site.user(name, 0);
  await arena.site.root.data('POST', '/api/user/manage', { id: admin.id, action: 'promote' });
  return admin;
}
