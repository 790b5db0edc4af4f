import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import { type ApiReply, ROOT, type TestBed, startTestBed } from '@tollgate/testing';
import { expectFields, expectErrorReply, expectSuccess, makeAdmin, plain, spellings } from './support.js';

const WRONG = '用户名或密码错误，或用户已被封禁';
const JSON_TYPE = { 'content-type': 'application/json' };

describe('login and registration', () => {
  let testBed: TestBed;
  beforeAll(async () => {
    testBed = await startTestBed(allServices, { TOLLGATE_TRUSTED_PROXIES: '127.0.0.1' });
  }, 120_000);
  afterAll(() => testBed?.close());

  const login = (body: unknown): Promise<ApiReply> => testBed.visitor().call('POST', '/api/user/login', body);
  const register = (body: unknown): Promise<ApiReply> => testBed.visitor().call('POST', '/api/user/register', body);
  const option = (key: string, value: string): Promise<unknown> =>
    testBed.root.data('PUT', '/api/option/', { key, value });

  describe('POST /api/user/login', () => {
    it.each(spellings('/api/user/login?turnstile='))('%s signs in with exactly the documented fields', async (path) => {
      const reply = await testBed.visitor().call('POST', path, ROOT);
      expectSuccess(reply);
      expect(reply.body.data).toEqual({
        id: 1,
        username: 'root',
        display_name: 'Root User',
        role: 100,
        status: 1,
        group: 'default',
      });
    });

    it('sets the documented cookie', async () => {
      const reply = await plain(testBed, 'POST', '/api/user/login', { headers: JSON_TYPE, body: JSON.stringify(ROOT) });
      const [cookie = ''] = reply.headers.getSetCookie();
      const [pair = '', ...attributes] = cookie.split('; ');
      expect(pair).toMatch(/^session=[\w.~-]{20,}$/);
      expect(new Set(attributes)).toEqual(new Set(['Path=/', 'Max-Age=2592000', 'HttpOnly', 'SameSite=Strict']));
    });

    it('marks the cookie as secure where the trusted proxy speaks https', async () => {
      const headers = { ...JSON_TYPE, 'x-forwarded-proto': 'https' };
      const reply = await plain(testBed, 'POST', '/api/user/login', { headers, body: JSON.stringify(ROOT) });
      expect(reply.headers.getSetCookie()[0]).toMatch(/; Secure/);
    });

    it.each([
      ['an empty password', { password: '' }, '无效的参数'],
      ['an empty name', { username: '' }, '无效的参数'],
      ['a blank name', { username: '   ' }, '用户名或密码为空'],
      ['a blank name and an empty password', { username: '   ', password: '' }, '无效的参数'],
      ['no password', { password: undefined }, '无效的参数'],
      ['no name', { username: undefined }, '无效的参数'],
      ['a name that is a number', { username: 1 }, '无效的参数'],
      ['a password that is an object', { password: { $ne: '' } }, '无效的参数'],
      ['a wrong password', { password: 'not the password' }, WRONG],
      ['an unknown name', { username: 'nobody' }, WRONG],
      ['a pattern for a name', { username: 'ro%' }, WRONG],
      ['a name with a quote', { username: "root' or '1'='1" }, WRONG],
      ['a name with a NUL', { username: 'root\0' }, '无效的参数'],
      ['a very long password', { password: 'x'.repeat(100_000) }, WRONG],
    ])('refuses %s with HTTP 200', async (_, change, message) => {
      expectErrorReply(await login({ ...ROOT, ...change }), message);
    });

    it('refuses a banned and a deleted user with the same message', async () => {
      const [banned, deleted] = await Promise.all([testBed.user('banned', 0), testBed.user('deleted', 0)]);
      await testBed.root.data('POST', '/api/user/manage', { id: banned.id, action: 'disable' });
      await testBed.root.data('POST', '/api/user/manage', { id: deleted.id, action: 'delete' });
      for (const username of ['banned', 'deleted']) {
        expectErrorReply(await login({ username, password: `${username} has a password`.slice(0, 20) }), WRONG);
      }
    });
  });

  describe('GET /api/user/logout', () => {
    it.each(spellings('/api/user/logout'))('%s ends the session and clears the cookie', async (path) => {
      const person = testBed.visitor();
      await person.signIn(ROOT.username, ROOT.password);
      const before = person.cookie;
      const reply = await person.call('GET', path);
      expect(reply.body).toEqual({ success: true, message: '' });
      const [cookie = ''] = reply.headers.getSetCookie();
      expect(cookie).toMatch(/^session=;/);
      expect(cookie).toMatch(/Max-Age=0/);
      person.cookie = before;
      expectErrorReply(await person.call('GET', '/api/user/self'), '无权进行此操作，未登录且未提供 access token', 401);
    });

    it('succeeds without a session', async () => {
      expectSuccess(await testBed.visitor().call('GET', '/api/user/logout'));
    });
  });

  describe('the caller', () => {
    it('is checked in the documented order', async () => {
      const user = await testBed.user('ordered', 0);
      const self = (headers: Record<string, string>): Promise<ApiReply> =>
        user.call('GET', '/api/user/self', undefined, headers);
      expectErrorReply(await self({ 'new-api-user': '' }), '无权进行此操作，未提供 New-Api-User', 401);
      expectErrorReply(await self({ 'new-api-user': 'abc' }), '无权进行此操作，New-Api-User 格式错误', 401);
      expectErrorReply(await self({ 'new-api-user': '1.5' }), '无权进行此操作，New-Api-User 格式错误', 401);
      expectErrorReply(await self({ 'new-api-user': '1' }), '无权进行此操作，New-Api-User 与登录用户不匹配', 401);
      expectErrorReply(await self({ 'new-api-user': '-1' }), '无权进行此操作，New-Api-User 与登录用户不匹配', 401);
      expectErrorReply(await self({ cookie: 'session=forged' }), '无权进行此操作，未登录且未提供 access token', 401);
      expectErrorReply(
        await self({ cookie: '', authorization: '' }),
        '无权进行此操作，未登录且未提供 access token',
        401,
      );
      expectErrorReply(
        await self({ cookie: '', authorization: 'Bearer nothing' }),
        '无权进行此操作，access token 无效',
      );
      await testBed.root.data('POST', '/api/user/manage', { id: user.id, action: 'disable' });
      expectErrorReply(await self({}), '用户已被封禁');
      expectErrorReply(await user.call('GET', '/api/user/'), '用户已被封禁');
    });

    it.each(['', 'Bearer '])('may be identified by a system access token as "%s…"', async (prefix) => {
      const user = await testBed.user(`token${prefix.length}`, 0);
      const token = await user.data<string>('GET', '/api/user/token');
      const caller = testBed.visitor();
      caller.id = user.id;
      const headers = { authorization: `${prefix}${token}` };
      const reply = await caller.call<{ id: number }>('GET', '/api/user/self', undefined, headers);
      expectSuccess(reply);
      expect(reply.body.data.id).toBe(user.id);
      expectErrorReply(await caller.call('GET', '/api/user/', undefined, headers), '无权进行此操作，权限不足');
      expectErrorReply(
        await caller.call('GET', '/api/user/self', undefined, { ...headers, 'new-api-user': '1' }),
        '无权进行此操作，New-Api-User 与登录用户不匹配',
        401,
      );
      await user.data('GET', '/api/user/token');
      expectErrorReply(
        await caller.call('GET', '/api/user/self', undefined, headers),
        '无权进行此操作，access token 无效',
      );
    });

    it('has a changed role from the next request on', async () => {
      const user = await testBed.user('climber', 0);
      expectErrorReply(await user.call('GET', '/api/user/'), '无权进行此操作，权限不足');
      await testBed.root.data('POST', '/api/user/manage', { id: user.id, action: 'promote' });
      expectSuccess(await user.call('GET', '/api/user/'));
      await testBed.root.data('POST', '/api/user/manage', { id: user.id, action: 'demote' });
      expectErrorReply(await user.call('GET', '/api/user/'), '无权进行此操作，权限不足');
    });
  });

  describe('POST /api/user/register', () => {
    it.each(spellings('/api/user/register?turnstile='))(
      '%s creates a user of role 1 without signing in',
      async (path) => {
        const username = path.includes('/?') ? 'newcomer2' : 'newcomer1';
        const body = {
          username,
          password: '12345678',
          password2: '12345678',
          email: '',
          verification_code: '',
          aff_code: '',
        };
        const reply = await testBed.visitor().call('POST', path, body);
        expect([reply.status, reply.body]).toEqual([200, { success: true, message: '' }]);
        expect(reply.headers.getSetCookie()).toEqual([]);
        const person = testBed.visitor();
        await person.signIn(username, '12345678');
        expect(await person.data('GET', '/api/user/self')).toMatchObject({
          username,
          display_name: username,
          role: 1,
          status: 1,
          group: 'default',
          quota: 0,
          email: '',
          inviter_id: 0,
        });
      },
    );

    it.each([
      ['a password of 7', { password: '1234567' }, '密码长度不得小于 8 位！'],
      ['a password of 21', { password: 'x'.repeat(21) }, '输入不合法 密码最多 20 个字符'],
      ['a confirmation that differs', { password2: '87654321' }, '两次输入的密码不一致'],
      ['a name of 13', { username: 'a'.repeat(13) }, '输入不合法 用户名最多 12 个字符'],
      ['a name that looks like an address', { username: 'a@b.c' }, '输入不合法 用户名不能包含 @'],
      ['an empty name', { username: '' }, '无效的参数'],
      ['no name', { username: undefined }, '无效的参数'],
      ['no password', { password: undefined }, '无效的参数'],
      ['a name that is a number', { username: 12345 }, '无效的参数'],
      ['a password that is a number', { password: 12345678 }, '无效的参数'],
      ['a name with a NUL', { username: 'a\0b' }, '输入不合法 用户名包含不可见字符'],
      ['an address of 51', { email: `${'a'.repeat(40)}@example.com` }, '输入不合法 邮箱最多 50 个字符'],
    ])('refuses %s', async (_, change, message) => {
      const body = { username: 'wrongly', password: '12345678', ...change };
      expectErrorReply(await register(body), message);
    });

    it('never releases a name, in any case', async () => {
      const body = { username: 'unique', password: '12345678' };
      expectSuccess(await register(body));
      expectErrorReply(await register(body), '用户名已存在，或已注销');
      expectErrorReply(await register({ ...body, username: 'UNIQUE' }), '用户名已存在，或已注销');
      const person = testBed.visitor();
      await person.signIn('unique', '12345678');
      await person.data('DELETE', '/api/user/self');
      expectErrorReply(await register(body), '用户名已存在，或已注销');
    });

    it('counts characters and not bytes or code units', async () => {
      for (const [username, password] of [
        ['十二个汉字的用户名好长啊', '密码密码密码密码'],
        ['😀'.repeat(12), '🔑'.repeat(8)],
      ] as const) {
        expectSuccess(await register({ username, password }));
        const person = testBed.visitor();
        await person.signIn(username, password);
        expect((await person.data<{ username: string }>('GET', '/api/user/self')).username).toBe(username);
      }
      expectErrorReply(await register({ username: 'short', password: '🔑'.repeat(7) }), '密码长度不得小于 8 位！');
    });

    it('credits the new user and the inviter according to the options', async () => {
      const inviter = await testBed.user('inviter', 0);
      const code = await inviter.data<string>('GET', '/api/user/aff');
      for (const [key, value] of [
        ['QuotaForNewUser', '1000'],
        ['QuotaForInvitee', '200'],
        ['QuotaForInviter', '300'],
      ] as const)
        await option(key, value);
      expectSuccess(await register({ username: 'invited', password: '12345678', aff_code: code }));
      expectSuccess(await register({ username: 'uninvited', password: '12345678', aff_code: 'no such code' }));
      const [invited, uninvited] = [testBed.visitor(), testBed.visitor()];
      await invited.signIn('invited', '12345678');
      await uninvited.signIn('uninvited', '12345678');
      expect(await invited.data('GET', '/api/user/self')).toMatchObject({ quota: 1200, inviter_id: inviter.id });
      expect(await uninvited.data('GET', '/api/user/self')).toMatchObject({ quota: 1000, inviter_id: 0 });
      expect(await inviter.data('GET', '/api/user/self')).toMatchObject({
        quota: 0,
        aff_count: 1,
        aff_quota: 300,
        aff_history_quota: 300,
      });
      for (const key of ['QuotaForNewUser', 'QuotaForInvitee', 'QuotaForInviter']) await option(key, '0');
    });

    it('requires a code when mail verification is enabled', async () => {
      await option('EmailVerificationEnabled', 'true');
      const body = { username: 'verified', password: '12345678' };
      expectErrorReply(await register(body), '管理员开启了邮箱验证，请输入邮箱地址和验证码');
      expectErrorReply(
        await register({ ...body, email: 'a@example.com' }),
        '管理员开启了邮箱验证，请输入邮箱地址和验证码',
      );
      expectErrorReply(
        await register({ ...body, email: 'a@example.com', verification_code: 'abcdef' }),
        '验证码错误或已过期',
      );
      await option('EmailVerificationEnabled', 'false');
    });

    it.each([
      ['RegisterEnabled', '管理员关闭了新用户注册'],
      ['PasswordRegisterEnabled', '管理员关闭了通过密码进行注册，请使用第三方账户验证的形式进行注册'],
    ])('is refused by %s before the form is validated', async (key, message) => {
      await option(key, 'false');
      expectErrorReply(await register({ username: 'closed', password: '12345678' }), message);
      expectErrorReply(await register({}), message);
      await option(key, 'true');
    });
  });

  it('requires the bot check when it is enabled', async () => {
    await option('TurnstileSiteKey', 'site');
    await option('TurnstileSecretKey', 'secret');
    await option('TurnstileCheckEnabled', 'true');
    expectErrorReply(await login(ROOT), 'Turnstile token 为空');
    expectErrorReply(await register({ username: 'robot', password: '12345678' }), 'Turnstile token 为空');
    for (const path of ['/api/verification', '/api/reset_password']) {
      const reply = await testBed.visitor().call('GET', `${path}?email=robot@example.com`);
      expectErrorReply(reply, 'Turnstile token 为空');
    }
    await option('TurnstileCheckEnabled', 'false');
  });

  it('refuses to disable password login while no super administrator has another sign-in method', async () => {
    const admin = await makeAdmin(testBed, 'switcher');
    for (const person of [testBed.root, admin]) {
      const reply = await person.call('PUT', '/api/option/', { key: 'PasswordLoginEnabled', value: 'false' });
      expect([reply.status, reply.body.success]).toEqual([200, false]);
    }
    expectSuccess(await login(ROOT));
  });
});

describe('limits by address and account', () => {
  let testBed: TestBed;
  beforeAll(async () => {
    testBed = await startTestBed(allServices, { TOLLGATE_RATE_LIMITS: 'on', TOLLGATE_TRUSTED_PROXIES: '127.0.0.1' });
  }, 120_000);
  afterAll(() => testBed?.close());

  const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': address });
  const many = (count: number, call: () => Promise<ApiReply>): Promise<ApiReply[]> =>
    Promise.all(Array.from({ length: count }, call));
  const refusedOf = (replies: ApiReply[]): ApiReply[] => replies.filter(({ status }) => status === 429);

  function expectLimited(reply: ApiReply | undefined): void {
    expect([reply?.status, reply?.body.success, reply?.body['kind']]).toEqual([429, false, 'rate-limited']);
    expect(reply?.body.message).toBe('请求次数过多，请稍后再试！');
    const wait = Number(reply?.headers.get('retry-after'));
    expect(Number.isSafeInteger(wait) && wait >= 1).toBe(true);
    expectFields(reply?.body, { code: 'string' });
  }

  it.each([
    ['a visitor', '/api/status', '198.51.100.1'],
    ['somebody who fails to authenticate', '/api/user/self', '198.51.100.2'],
  ])('admit 180 calls of %s in three minutes', async (_, path, address) => {
    const replies = await many(185, () => testBed.visitor().call('GET', path, undefined, from(address)));
    const refused = refusedOf(replies);
    expect(refused).toHaveLength(5);
    expectLimited(refused[0]);
    expect((await testBed.visitor().call('GET', '/api/status', undefined, from('198.51.100.99'))).status).toBe(200);
  });

  it('count pictures of drawings apart from calls of the console', async () => {
    const address = from('198.51.100.17');
    const show = () => testBed.visitor().call('GET', '/mj/image/none', undefined, address);
    expect(refusedOf(await many(185, show))).toEqual([]);
    expect((await testBed.visitor().call('GET', '/api/status', undefined, address)).status).toBe(200);
  });

  it("refuse billing calls by key in OpenAI's form", async () => {
    const address = from('198.51.100.18');
    const replies = await many(181, () =>
      testBed.visitor().call('GET', '/dashboard/billing/usage', undefined, address),
    );
    expect(refusedOf(replies)[0]?.body).toMatchObject({
      error: { message: expect.stringContaining('请求次数过多，请稍后再试！'), code: 'too_many_requests' },
    });
  });

  it('count an address once, whatever port a balancer appends', async () => {
    let port = 50_000;
    const replies = await many(185, () =>
      testBed.visitor().call('GET', '/api/status', undefined, from(`198.51.100.16:${port++}`)),
    );
    expect(refusedOf(replies)).toHaveLength(5);
  });

  it('count a signed-in caller by user, not by address', async () => {
    const address = from('198.51.100.3');
    await many(181, () => testBed.visitor().call('GET', '/api/status', undefined, address));
    expect((await testBed.root.call('GET', '/api/user/self', undefined, address)).status).toBe(200);
  });

  it.each([
    ['login', '/api/user/login', { username: 'root', password: 'guess' }, '198.51.100.4'],
    ['registration', '/api/user/register', {}, '198.51.100.5'],
  ])('admit 20 calls of %s in twenty minutes', async (_, path, body, address) => {
    const replies = await many(22, () => testBed.visitor().call('POST', path, body, from(address)));
    const refused = refusedOf(replies);
    expect(refused).toHaveLength(2);
    expectLimited(refused[0]);
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(600);
  });

  it.each([
    ['verification by mail', '/api/verification?email=a@example.com', '198.51.100.19'],
    ['binding of accounts elsewhere', '/api/oauth/state', '198.51.100.20'],
  ])('count calls for %s of a signed-in user apart from those of strangers', async (_, path, address) => {
    const replies = await many(22, () => testBed.visitor().call('GET', path, undefined, from(address)));
    expect(refusedOf(replies)).toHaveLength(2);
    expect((await testBed.root.call('GET', path, undefined, from(address))).status).toBe(200);
  });

  it('do not apply to the console page', async () => {
    const pages = await Promise.all(
      Array.from({ length: 190 }, () => plain(testBed, 'GET', '/login', { headers: from('198.51.100.6') })),
    );
    expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([200]));
  });
});
