import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { resolveUsers } from '@tollgate/contracts';
import { SessionStore, signForwarded } from '@tollgate/chassis';
import { hasPostgres } from '@tollgate/testing';
import { Migration20261122183000_fold_username_keys } from '../src/migrations/Migration20261122183000_fold_username_keys.js';
import { User } from '../src/user/user.entity.js';
import { VerificationCodes } from '../src/verification/verification-codes.js';
import { type Account, addUser, type Answer, setUp, type TestBed, startIdentity } from './test-bed.js';

const WRONG = '用户名或密码错误，或用户已被封禁';

const facts = { requestId: 'r', protocol: 'http', host: 'gate.example', local: false } as const;

const cookieOf = (answer: Answer): string =>
  String(answer.headers['set-cookie']).split(';')[0]!.replace('session=', '');

(hasPostgres() ? describe : describe.skip)('login and registration', () => {
  let testBed: TestBed;
  let root: Account;
  let sessions: SessionStore;

  beforeAll(async () => {
    testBed = await startIdentity();
    root = await setUp(testBed);
    sessions = new SessionStore(testBed.host.keyValue, (label, text) => testBed.host.secrets.hmacs(label, text));
  }, 60_000);

  afterAll(async () => {
    await testBed.stop();
  });

  const login = (username: string, password: string, headers?: Record<string, string>) =>
    testBed.request('POST', '/api/user/login', { body: { username, password }, headers });
  const register = (body: Record<string, unknown> | string) => testBed.request('POST', '/api/user/register', { body });
  const setOption = async (key: string, value: string) => {
    const { body } = await testBed.request('PUT', '/api/option/', { as: root, body: { key, value } });
    expect(body).toMatchObject({ success: true });
  };
  /** Decides like the gateway whether a cookie is signed in. */
  const isSignedIn = async (cookie: string): Promise<boolean> => {
    const session = await sessions.read(cookie);
    if (!session) return false;
    const { users } = await testBed.internal(resolveUsers, { ids: [session.userId] });
    return users[0]?.sessionVersion === session.sessionVersion;
  };

  it('signs in by name in any case or by mail address, and sets an HttpOnly cookie', async () => {
    const user = await addUser(testBed, root);
    const em = testBed.em();
    await em.nativeUpdate(User, { id: user.id }, { email: 'ann@example.com' });

    for (const name of [user.username, user.username.toUpperCase(), ' Ann@Example.com ']) {
      const answer = await login(name, user.password);
      expect(answer.body).toEqual({
        success: true,
        message: '',
        data: {
          id: user.id,
          username: user.username,
          display_name: user.username,
          role: 1,
          status: 1,
          group: 'default',
        },
      });
      expect(answer.headers['set-cookie']).toMatch(
        /^session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
      );
      expect(await isSignedIn(cookieOf(answer))).toBe(true);
    }
  });

  it('refuses a wrong name and a wrong password with the same message, and names missing fields', async () => {
    const user = await addUser(testBed, root);
    const cases: [unknown, string][] = [
      [{ username: user.username, password: 'wrong' }, WRONG],
      [{ username: 'nobody', password: 'wrong' }, WRONG],
      [{ username: user.username }, '无效的参数'],
      [{ username: '', password: 'x' }, '无效的参数'],
      [{ username: '   ', password: 'x' }, '用户名或密码为空'],
      ['[]', '无效的参数'],
      ['{', '无效的参数'],
    ];
    for (const [body, message] of cases) {
      const answer = await testBed.request('POST', '/api/user/login', { body });
      expect([answer.status, answer.body.success, answer.body.message]).toEqual([200, false, message]);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
  });

  it('answers 429 with Retry-After after too many wrong passwords for one account', async () => {
    const user = await addUser(testBed, root);
    for (let guess = 0; guess < 20; guess += 1) expect((await login(user.username, 'wrong')).status).toBe(200);
    const stopped = await login(user.username, user.password);
    expect(stopped).toMatchObject({ status: 429, body: { success: false, code: 'too-many-attempts' } });
    expect(Number(stopped.headers['retry-after'])).toBeGreaterThan(0);
    expect((await login('root', 'rootroot')).status).toBe(200);
  });

  it('limits guesses from unknown addresses without locking the owner out of known networks and signed-in browsers', async () => {
    const user = await addUser(testBed, root);
    const from = (address: string, more = {}): Record<string, string> => ({
      'x-tollgate-forwarded': signForwarded(testBed.host.secrets, { ...facts, address }),
      ...more,
    });
    const statusOf = async (password: string, headers: Record<string, string>) =>
      (await login(user.username, password, headers)).status;
    const cookie = cookieOf(await login(user.username, user.password, from('203.0.113.1')));
    // 99 attempts, plus the owner's first sign-in, whose address was not known yet.
    await testBed.guess(99, 'login-of-strangers', `user:${user.id}`);
    expect(await statusOf(user.password, from('198.51.100.77'))).toBe(429);
    expect(await statusOf(user.password, from('203.0.113.1'))).toBe(200);
    const foreign = cookieOf(await login('root', 'rootroot', from('198.51.100.77')));
    expect(await statusOf(user.password, from('198.51.100.77', { cookie: `session=${foreign}` }))).toBe(429);
    expect(await statusOf(user.password, from('198.51.100.77', { cookie: `session=${cookie}` }))).toBe(200);
    // The owner's success does not reset the count of strangers.
    expect(await statusOf('wrong', from('198.51.100.78'))).toBe(429);
  });

  it('counts wrong passwords of a signed-in browser separately, and limits them too', async () => {
    const user = await addUser(testBed, root);
    const cookie = cookieOf(await login(user.username, user.password));
    const guess = async (password: string) =>
      (await login(user.username, password, { cookie: `session=${cookie}` })).status;
    expect(await guess('wrong')).toBe(200);
    const { createdAt } = (await sessions.read(cookie))!;
    await testBed.guess(19, 'login-by-session', `user:${user.id}`, String(createdAt));
    expect(await guess(user.password)).toBe(429);
    expect((await login(user.username, user.password)).status).toBe(200);
  });

  it('clears the wrong guesses of an address after a successful sign-in', async () => {
    const user = await addUser(testBed, root);
    for (let turn = 0; turn < 3; turn += 1) {
      await testBed.guess(19, 'login-by-address', `user:${user.id}`, '127.0.0.1');
      expect((await login(user.username, user.password)).status).toBe(200);
    }
  });

  it('uses a __Host- cookie over TLS, and clears the cookie without that prefix', async () => {
    const user = await addUser(testBed, root);
    const headers = {
      'x-tollgate-forwarded': signForwarded(testBed.host.secrets, {
        ...facts,
        protocol: 'https',
        address: '203.0.113.2',
      }),
    };
    const answer = await login(user.username, user.password, headers);
    const [fresh = '', old] = answer.headers['set-cookie'] as unknown as string[];
    expect(fresh).toMatch(/^__Host-session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure$/);
    expect(old).toMatch(/^session=; Path=\/; Max-Age=0;/);
    const cookie = fresh.split(';')[0]!;
    const out = await testBed.request('GET', '/api/user/logout', { headers: { ...headers, cookie } });
    expect(out.headers['set-cookie']).toHaveLength(2);
    expect(await isSignedIn(cookie.split('=')[1]!)).toBe(false);
  });

  it('replaces a session at sign-in and ends it at sign-out', async () => {
    const user = await addUser(testBed, root);
    const first = cookieOf(await login(user.username, user.password));
    const second = cookieOf(await login(user.username, user.password, { cookie: `session=${first}` }));
    expect([await isSignedIn(first), await isSignedIn(second)]).toEqual([false, true]);
    const out = await testBed.request('GET', '/api/user/logout', { headers: { cookie: `session=${second}` } });
    expect(out.body).toEqual({ success: true, message: '' });
    expect(out.headers['set-cookie']).toMatch(/^session=; Path=\/; Max-Age=0/);
    expect(await isSignedIn(second)).toBe(false);
  });

  it.each(['disable', 'delete'])('ends the sessions of a user and refuses sign-in after %s', async (action) => {
    const user = await addUser(testBed, root);
    const cookie = cookieOf(await login(user.username, user.password));
    await testBed.request('POST', '/api/user/manage', { as: root, body: { id: user.id, action } });
    expect(await isSignedIn(cookie)).toBe(false);
    expect((await login(user.username, user.password)).body.message).toBe(WRONG);
    if (action === 'disable') {
      await testBed.request('POST', '/api/user/manage', { as: root, body: { id: user.id, action: 'enable' } });
      expect(await isSignedIn(cookie)).toBe(false);
      expect((await login(user.username, user.password)).body.success).toBe(true);
    }
  });

  it('keeps the sessions of a promoted user, with the new role at once', async () => {
    const user = await addUser(testBed, root);
    const cookie = cookieOf(await login(user.username, user.password));
    await testBed.request('POST', '/api/user/manage', { as: root, body: { id: user.id, action: 'promote' } });
    expect(await isSignedIn(cookie)).toBe(true);
    const { users } = await testBed.internal(resolveUsers, { ids: [user.id] });
    expect(users[0]?.role).toBe(10);
  });

  it('changes a password only with the current one, and ends the other sessions', async () => {
    const user = await addUser(testBed, root);
    const here = cookieOf(await login(user.username, user.password));
    const elsewhere = cookieOf(await login(user.username, user.password));
    const change = (body: object) =>
      testBed.request('PUT', '/api/user/self', { as: user, body, headers: { cookie: `session=${here}` } });

    expect((await change({ password: 'new-password' })).body.message).toBe('请输入原密码');
    expect((await change({ password: 'new-password', original_password: 'wrong' })).body).toMatchObject({
      message: '原密码错误',
      fields: [{ path: 'original_password' }],
    });
    expect((await change({ password: 'short', original_password: user.password })).body.message).toBe(
      '密码长度不得小于 8 位！',
    );
    expect(await isSignedIn(elsewhere)).toBe(true);

    const changed = await change({ password: 'new-password', original_password: user.password });
    expect(changed.body.success).toBe(true);
    expect([await isSignedIn(here), await isSignedIn(elsewhere), await isSignedIn(cookieOf(changed))]).toEqual([
      false,
      false,
      true,
    ]);
    expect((await login(user.username, user.password)).body.success).toBe(false);
    expect((await login(user.username, 'new-password')).body.success).toBe(true);
  });

  it('changes a password once when the current one is used by several calls at once', async () => {
    const user = await addUser(testBed, root);
    const change = (password: string) =>
      testBed.request('PUT', '/api/user/self', { as: user, body: { password, original_password: user.password } });
    const words = ['new-password-1', 'new-password-2', 'new-password-3', 'new-password-4'];
    const replies = await Promise.all(words.map(change));
    const winners = words.filter((_, at) => replies[at]?.body.success);
    expect(winners).toHaveLength(1);
    expect(new Set(replies.map(({ body }) => body.message))).toEqual(new Set(['', '原密码错误']));
    expect((await login(user.username, winners[0] ?? '')).body.success).toBe(true);
  });

  it('registers each name once, whatever its case, also against simultaneous requests and deleted users', async () => {
    testBed.billing.codes.set('abcd', root.id);
    expect((await register({ username: 'Carol', password: '12345678', aff_code: 'abcd' })).body).toEqual({
      success: true,
      message: '',
    });
    const carol = await testBed.em().findOneOrFail(User, { usernameKey: 'carol' });
    expect(carol).toMatchObject({ username: 'Carol', displayName: 'Carol', role: 1, inviterId: root.id, email: '' });
    expect(testBed.billing.opened).toContainEqual({ userId: carol.id, kind: 'register', inviterId: root.id });

    await testBed.request('POST', '/api/user/manage', { as: root, body: { id: carol.id, action: 'delete' } });
    for (const alike of ['carol', 'ｃａｒｏｌ', 'ⓒarol'])
      expect((await register({ username: alike, password: '12345678' })).body).toMatchObject({
        message: '用户名已存在，或已注销',
        fields: [{ path: 'username', code: 'username-taken' }],
      });

    testBed.billing.codes.set('of-deleted', carol.id);
    expect((await register({ username: 'erin', password: '12345678', aff_code: 'of-deleted' })).body.success).toBe(
      true,
    );
    expect(await testBed.em().findOneOrFail(User, { usernameKey: 'erin' })).toMatchObject({ inviterId: 0 });

    const rivals = await Promise.all(
      Array.from({ length: 5 }, () => register({ username: 'dave', password: '12345678' })),
    );
    expect(rivals.filter(({ body }) => body.success)).toHaveLength(1);
    for (const { body } of rivals.filter((rival) => !rival.body.success))
      expect(body).toMatchObject({ message: '用户名已存在，或已注销', fields: [{ path: 'username' }] });
  });

  it('signs in users whose names were stored before look-alike letters were folded, and the migration folds names without conflict', async () => {
    const em = testBed.em();
    const add = async (username: string, before?: string) => {
      expect((await register({ username, password: '12345678' })).body).toMatchObject({ success: true });
      const user = await em.fork().findOneOrFail(User, { username });
      if (before !== undefined) await em.nativeUpdate(User, { id: user.id }, { username: before, usernameKey: before });
      return user.id;
    };
    const old = await add('Вова', 'вова');
    const first = await add('НОНА', 'нона');
    // Mixed with one Latin letter, which older versions allowed.
    const second = await add('later', 'нoна');
    const taken = await add('Сосо', 'сосо');
    const plain = await add('coco');
    const isIn = async (name: string): Promise<unknown> =>
      ((await login(name, '12345678')).body.data as { id?: number } | null)?.id;
    expect(await Promise.all(['ВОВА', 'сосо', 'coco'].map(isIn))).toEqual([old, taken, plain]);

    for (let times = 0; times < 2; times += 1)
      await new Migration20261122183000_fold_username_keys(em.getDriver(), em.config).up();

    const ids = [old, first, second, taken, plain];
    const users = await em.fork().find(User, { id: { $in: ids } }, { orderBy: { id: 'asc' } });
    expect(users.map(({ usernameKey }) => usernameKey)).toEqual(['boba', 'hoha', 'нoна', 'сосо', 'coco']);
    expect(await Promise.all(['вова', 'Нона', 'Нoна', 'сосо', 'COCO'].map(isIn))).toEqual([
      ...[old, first, second, taken, plain],
    ]);
    expect((await register({ username: 'boba', password: '12345678' })).body.message).toBe('用户名已存在，或已注销');
  });

  it('refuses names and passwords that break the rules for them', async () => {
    const cases: [object, string][] = [
      [{ username: 'a'.repeat(13), password: '12345678' }, '输入不合法 用户名最多 12 个字符'],
      [{ username: 'a@b.example', password: '12345678' }, '输入不合法 用户名不能包含 @'],
      [{ username: 'сarol', password: '12345678' }, '输入不合法 用户名混用了外观相似的字母'],
      [{ username: 'erin', password: '1234567' }, '密码长度不得小于 8 位！'],
      [{ username: 'erin', password: 'p'.repeat(21) }, '输入不合法 密码最多 20 个字符'],
      [{ password: '12345678' }, '无效的参数'],
    ];
    for (const [body, message] of cases)
      expect((await register(body as Record<string, unknown>)).body.message).toBe(message);
  });

  it('requires a code at registration when mail verification is enabled, and stores the verified address', async () => {
    await setOption('EmailVerificationEnabled', 'true');
    const codes = new VerificationCodes(testBed.host.keyValue, testBed.host.secrets);
    const form = { username: 'frank', password: '12345678', email: 'Frank@Example.com' };
    expect((await register(form)).body.message).toBe('管理员开启了邮箱验证，请输入邮箱地址和验证码');
    expect((await register({ ...form, verification_code: '123456' })).body.message).toBe('验证码错误或已过期');
    const code = await codes.issue('register', 'frank@example.com');
    expect((await register({ ...form, verification_code: code })).body.success).toBe(true);
    expect(await testBed.em().findOneOrFail(User, { usernameKey: 'frank' })).toMatchObject({
      email: 'frank@example.com',
    });
    const next = { ...form, email: 'fred@example.com' };
    const spare = await codes.issue('register', next.email);
    const guess = spare === '000000' ? '000001' : '000000';
    expect((await register({ ...next, verification_code: guess })).body).toMatchObject({
      message: '验证码错误或已过期',
      fields: [{ path: 'verification_code', code: 'verification-code-wrong' }],
    });
    expect((await register({ ...next, verification_code: spare })).body.message).toBe('用户名已存在，或已注销');
    expect((await register({ ...next, username: 'fred', verification_code: spare })).body.success).toBe(true);
    const again = await codes.issue('register', 'frank@example.com');
    const taken = await register({ ...form, username: 'frank2', verification_code: again });
    expect(taken.body).toMatchObject({
      message: '用户名已存在，或已注销',
      fields: [{ path: 'email', code: 'email-taken', params: { reason: '邮箱地址已被占用' } }],
    });
    await setOption('EmailVerificationEnabled', 'false');
  });

  it('applies the options for registration and password login at once', async () => {
    await setOption('PasswordRegisterEnabled', 'false');
    expect((await register({ username: 'gina', password: '12345678' })).body.message).toBe(
      '管理员关闭了通过密码进行注册，请使用第三方账户验证的形式进行注册',
    );
    await setOption('RegisterEnabled', 'false');
    for (const body of ['{', {}]) expect((await register(body)).body.message).toBe('管理员关闭了新用户注册');
    await setOption('RegisterEnabled', 'true');
    await setOption('PasswordRegisterEnabled', 'true');
    expect((await register('{')).body.message).toBe('无效的参数');
    expect((await register({ username: 'gina', password: '12345678' })).body.success).toBe(true);
  });
});
