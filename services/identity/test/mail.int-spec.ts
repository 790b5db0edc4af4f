import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Delivery as DeliveryReply } from '@tollgate/contracts/api/delivery';
import { Metrics } from '@tollgate/chassis';
import { hasPostgres, type MailServer, startMailServer } from '@tollgate/testing';
import { Delivery } from '../src/delivery/delivery.entity.js';
import { TrustedSettings } from '../src/option/trusted-settings.js';
import { User } from '../src/user/user.entity.js';
import { VerificationCodes } from '../src/verification/verification-codes.js';
import { type Account, addUser, setUp, type TestBed, startIdentity } from './test-bed.js';

(hasPostgres() ? describe : describe.skip)('mail and the codes that it carries', () => {
  let testBed: TestBed;
  let root: Account;
  let server: MailServer;

  beforeAll(async () => {
    testBed = await startIdentity({ TOLLGATE_RATE_LIMITS: 'off' });
    root = await setUp(testBed);
    server = await startMailServer({ account: { user: 'us@acme.example', password: 'secret' } });
  }, 60_000);
  afterAll(async () => {
    await testBed?.stop();
    await server?.close();
  });

  const put = async (key: string, value: string) => {
    const { body } = await testBed.request('PUT', '/api/option/', { as: root, body: { key, value } });
    expect(body).toEqual({ success: true, message: '' });
  };
  const configure = async (port = server.port) => {
    await put('SMTPToken', 'secret');
    await put('SMTPPort', String(port));
    await put('SMTPAccount', 'us@acme.example');
    await put('SMTPServer', '127.0.0.1');
  };
  const ask = async (path: string, email: string, headers: Record<string, string> = {}, as?: Account) =>
    (await testBed.request('GET', path, { query: { email }, headers, as })).body;
  /** The number of attempts to send mails, by outcome. */
  const attempts = async (): Promise<Record<string, number>> => {
    const text = await testBed.own(Metrics).registry.getSingleMetricAsString('tollgate_identity_deliveries_total');
    const lines = [...text.matchAll(/via="mail",outcome="(\w+)".* (\d+)$/gm)];
    return Object.fromEntries(lines.map(([, outcome = '', count]) => [outcome, Number(count)]));
  };
  const codeIn = (text: string): string => /\d{6}/.exec(text)?.[0] ?? '';
  const done = { success: true, message: '' };

  it('reports that no mail server is configured, for known and unknown addresses', async () => {
    for (const path of ['/api/verification', '/api/reset_password'])
      for (const email of ['new@example.com', 'other@example.com'])
        expect((await ask(path, email)).message).toBe('SMTP 服务器未配置');
    const test = await testBed.request('POST', '/api/option/mail_test', {
      as: root,
      body: { email: 'me@example.com' },
    });
    expect(test.body.message).toBe('SMTP 服务器未配置');
  });

  it('sends a test mail at once, and reports the error of the mail server without the password', async () => {
    await configure();
    await put('SystemName', 'Acme');
    const test = (body: object) => testBed.request('POST', '/api/option/mail_test', { as: root, body });
    expect((await test({ email: 'me@example.com' })).body).toMatchObject({ success: true, data: 'me@example.com' });
    const mail = await server.mailTo('me@example.com');
    expect(mail).toMatchObject({ subject: 'Acme测试邮件', from: 'Acme <us@acme.example>', user: 'us@acme.example' });
    expect(mail.secure).toBe(true);
    expect((await test({})).body.code).toBe('mail-address-missing');
    await put('SMTPToken', 'wrong');
    const { body } = await test({ email: 'me@example.com' });
    expect(body).toMatchObject({ success: false, code: 'mail-failed' });
    expect(body.message).toContain('邮件发送失败：');
    expect(body.message).not.toContain('wrong');
    await put('SMTPToken', 'secret');
  });

  it('reports the same error for a closed port as for a port with another protocol', async () => {
    const other = createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const textAt = async (tried: number): Promise<string> => {
      await put('SMTPPort', String(tried));
      const body = { email: 'me@example.com' };
      return (await testBed.request('POST', '/api/option/mail_test', { as: root, body })).body.message;
    };
    const open = await textAt(port);
    await new Promise((resolve) => other.close(resolve));
    expect(await textAt(port)).toBe(open);
    expect(open).toBe('邮件发送失败：无法与邮件服务器建立会话，请检查服务器、端口与加密方式');
    await put('SMTPPort', String(server.port));
  });

  it('refuses invalid addresses, and addresses that the operator excludes', async () => {
    for (const email of ['', 'nobody', 'a@b', 'a@b.example,c@d.example', `${'a'.repeat(60)}@example.com`])
      expect((await ask('/api/verification', email)).message).toBe('无效的参数');
    await put('EmailDomainWhitelist', 'example.com');
    await put('EmailDomainRestrictionEnabled', 'true');
    await put('EmailAliasRestrictionEnabled', 'true');
    expect((await ask('/api/verification', 'new@elsewhere.example')).message).toMatch(/domain name whitelist/);
    expect((await ask('/api/verification', 'new@sub.example.com')).success).toBe(false);
    expect((await ask('/api/verification', 'new+1@example.com')).message).toBe(
      '管理员已启用邮箱地址别名限制，您的邮箱地址由于包含特殊符号而被拒绝。',
    );
    expect(await ask('/api/verification', 'plain@EXAMPLE.com')).toEqual(done);
    await put('EmailDomainRestrictionEnabled', 'false');
    await put('EmailAliasRestrictionEnabled', 'false');
  });

  it('registers a user with the mailed code, which is valid once', async () => {
    await put('EmailVerificationEnabled', 'true');
    expect(await ask('/api/verification', 'Ann@example.com')).toEqual(done);
    const mail = await server.mailTo('ann@example.com');
    expect(mail.subject).toBe('Acme邮箱验证邮件');
    expect(mail.html).toContain('<strong>');
    const register = (username: string, code: string) =>
      testBed.request('POST', '/api/user/register', {
        body: { username, password: '12345678', email: 'ann@example.com', verification_code: code },
      });
    expect((await register('ann', codeIn(mail.text))).body).toEqual(done);
    expect(await testBed.em().findOneOrFail(User, { usernameKey: 'ann' })).toMatchObject({ email: 'ann@example.com' });
    await put('EmailVerificationEnabled', 'false');
  });

  it('registers a user with a code requested while somebody was signed in, in that session only', async () => {
    await put('EmailVerificationEnabled', 'true');
    const ada = await addUser(testBed, root);
    const cookieOf = async ({ username, password }: { username: string; password: string }): Promise<string> => {
      const { headers } = await testBed.request('POST', '/api/user/login', { body: { username, password } });
      return String(headers['set-cookie']).split(';')[0] ?? '';
    };
    const [own, foreign] = [await cookieOf(ada), await cookieOf(await addUser(testBed, root))];
    expect(await ask('/api/verification', 'new@example.com', { cookie: own }, ada)).toEqual(done);
    const code = codeIn((await server.mailTo('new@example.com')).text);
    const register = async (username: string, cookie: string) => {
      const body = { username, password: '12345678', email: 'new@example.com', verification_code: code };
      return (await testBed.request('POST', '/api/user/register', { body, headers: { cookie } })).body;
    };
    for (const cookie of ['', foreign])
      expect(await register('newcomer', cookie)).toMatchObject({ message: '验证码错误或已过期' });
    expect((await register(ada.username, own)).message).toBe('用户名已存在，或已注销');
    expect(await register('newcomer', own)).toEqual(done);
    expect(await register('another', own)).toMatchObject({ message: '验证码错误或已过期' });
    const found = await testBed.em().findOneOrFail(User, { usernameKey: 'newcomer' });
    expect(found).toMatchObject({ email: 'new@example.com' });
    await put('EmailVerificationEnabled', 'false');
  });

  it('gives the same reply for a taken address, and mails its owner in the language of the request', async () => {
    const english = { 'accept-language': 'en-GB,en' };
    expect(await ask('/api/verification', 'ann@example.com', english)).toEqual(done);
    const mail = await server.mailTo('ann@example.com', /belongs to an account already/);
    expect(mail.subject).toBe('Acme: verify your e-mail address');
    expect(codeIn(mail.text)).toBe('');
    await put('EmailVerificationEnabled', 'true');
    const register = (email: string) => {
      const form = { username: 'guesser', password: '12345678', email, verification_code: '000000' };
      return testBed.request('POST', '/api/user/register', { body: form });
    };
    const answers = [await register('ann@example.com'), await register('no-account@example.com')];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [answers[0]?.status, 'verification-code-wrong'],
      [answers[0]?.status, 'verification-code-wrong'],
    ]);
    await put('EmailVerificationEnabled', 'false');
  });

  it('sends one code per address in 30 seconds, for known and unknown addresses', async () => {
    const { env } = testBed.host;
    const [eve, other] = [await addUser(testBed, root), await addUser(testBed, root)];
    const attempt = async (email: string, as?: Account) => {
      const { status, headers, body } = await testBed.request('GET', '/api/verification', { query: { email }, as });
      return { status, wait: Number(headers['retry-after'] ?? 0), code: body.code };
    };
    const sent = { status: 200, wait: 0, code: undefined };
    const refused = { status: 429, wait: expect.any(Number), code: 'too-many-attempts' };
    env.TOLLGATE_RATE_LIMITS = 'on';
    try {
      for (const email of ['ann@example.com', 'unheard-of@example.com']) {
        expect(await attempt(email)).toEqual(sent);
        const again = await attempt(email.toUpperCase());
        expect(again).toEqual(refused);
        expect(again.wait).toBeGreaterThan(0);
        expect(again.wait).toBeLessThanOrEqual(30);
        for (const person of [eve, other]) expect(await attempt(email, person)).toEqual(sent);
        expect(await attempt(email, eve)).toEqual(refused);
      }
      expect(await attempt('elsewhere@example.com')).toEqual(sent);
    } finally {
      env.TOLLGATE_RATE_LIMITS = 'off';
    }
  });

  it('binds an address with a code that is valid for one user only', async () => {
    const [ben, other] = [await addUser(testBed, root), await addUser(testBed, root)];
    expect(await ask('/api/verification', 'ben@example.com', {}, ben)).toEqual(done);
    const code = codeIn((await server.mailTo('ben@example.com')).text);
    const bind = async (as: Account | undefined, given: string, email = 'ben@example.com') =>
      (await testBed.request('GET', '/api/oauth/email/bind', { as, query: { email, code: given } })).body;
    expect((await bind(ben, code, '')).message).toBe('请输入邮箱！');
    expect((await bind(ben, ' ')).message).toBe('请输入邮箱验证码！');
    expect((await bind(undefined, code)).success).toBe(false);
    expect(await bind(other, code)).toMatchObject({ message: '验证码错误或已过期', fields: [{ path: 'code' }] });
    expect(await bind(ben, code)).toEqual(done);
    expect((await bind(ben, code)).message).toBe('验证码错误或已过期');
    expect((await testBed.em().findOneOrFail(User, { id: ben.id })).email).toBe('ben@example.com');
  });

  it('tells the former address that it was replaced or removed, and nobody when nothing changed', async () => {
    const eli = await addUser(testBed, root);
    const bind = async (email: string) => {
      const code = await testBed.own(VerificationCodes).issue('register', email);
      return (await testBed.request('GET', '/api/oauth/email/bind', { as: eli, query: { email, code } })).body;
    };
    const told = () => testBed.em().find(Delivery, { kind: 'address-given-up' }, { orderBy: { id: 'asc' } });
    for (const email of ['eli@example.com', 'eli@example.com']) expect(await bind(email)).toEqual(done);
    expect((await bind('ben@example.com')).code).toBe('email-taken');
    expect(await told()).toEqual([]);
    expect(await bind('other@example.com')).toEqual(done);
    expect((await server.mailTo('eli@example.com')).text).toContain('如果不是您本人操作，请立即登录并修改密码');
    expect((await testBed.request('DELETE', '/api/user/self/binding/email', { as: eli })).body).toEqual(done);
    await server.mailTo('other@example.com');
    expect((await told()).map(({ target, userId }) => [target, userId])).toEqual([
      ['eli@example.com', eli.id],
      ['other@example.com', eli.id],
    ]);
  });

  it('binds an address with a code that was requested without signing in', async () => {
    const cas = await addUser(testBed, root);
    expect(await ask('/api/verification', 'cas@example.com')).toEqual(done);
    const code = codeIn((await server.mailTo('cas@example.com')).text);
    const bind = async (email: string) =>
      (await testBed.request('GET', '/api/oauth/email/bind', { as: cas, query: { email, code } })).body;
    expect((await bind('elsewhere@example.com')).message).toBe('验证码错误或已过期');
    expect(await bind('cas@example.com')).toEqual(done);
    expect((await bind('cas@example.com')).message).toBe('验证码错误或已过期');
    expect((await testBed.em().findOneOrFail(User, { id: cas.id })).email).toBe('cas@example.com');
  });

  it('resets a password with the mailed link, which is valid once, and ends every session', async () => {
    const link = async () => {
      const before = server.mails.length;
      expect(await ask('/api/reset_password', 'ben@example.com')).toEqual(done);
      while (server.mails.length === before) await new Promise((resolve) => setTimeout(resolve, 20));
      const { text, subject } = await server.mailTo('ben@example.com');
      expect(subject).toBe('Acme密码重置');
      return new URL(/http:\/\/localhost:\S+\/user\/reset\?\S+/.exec(text)?.[0].replace(/\)$/, '') ?? '').searchParams;
    };
    const reset = async (body: object) => (await testBed.request('POST', '/api/user/reset', { body })).body;
    const [first, params] = [await link(), await link()];
    const [email, token] = [params.get('email') ?? '', params.get('token') ?? ''];
    expect([email, token.length]).toEqual(['ben@example.com', 32]);
    for (const body of [{}, { email }, { email, token: '' }]) expect((await reset(body)).message).toBe('无效的参数');
    expect((await reset({ email, token: first.get('token') })).message).toBe('重置链接非法或已过期');
    const before = await testBed.em().findOneOrFail(User, { email });
    const answer = await reset({ email, token });
    const password = answer.data as string;
    expect(password.length).toBeGreaterThanOrEqual(12);
    expect((await reset({ email, token })).message).toBe('重置链接非法或已过期');
    const login = await testBed.request('POST', '/api/user/login', { body: { username: email, password } });
    expect(login.body.success).toBe(true);
    const after = await testBed.em().findOneOrFail(User, { email });
    expect(after.sessionVersion).toBe(before.sessionVersion + 1);
  });

  it('gives the same reply to a password reset for an unknown address', async () => {
    expect(await ask('/api/reset_password', 'nobody@example.com')).toEqual(done);
    expect((await server.mailTo('nobody@example.com')).text).not.toContain('token=');
  });

  it('mails the same about the address of a deleted account to whoever verifies it or resets a password', async () => {
    const { id } = await addUser(testBed, root);
    await testBed.em().nativeUpdate(User, { id }, { email: 'closed@example.com' });
    await testBed.request('POST', '/api/user/manage', { as: root, body: { id, action: 'delete' } });
    const english = { 'accept-language': 'en' };
    for (const path of ['/api/verification', '/api/reset_password']) {
      server.mails.length = 0;
      expect(await ask(path, 'closed@example.com', english)).toEqual(done);
      const { text } = await server.mailTo('closed@example.com');
      expect(text).toMatch(/belonged to an account that was deleted, and stays reserved/);
      expect(text).not.toMatch(/http/);
    }
  });

  it('mails no reset link to users of equal or higher rank than the administrator who last changed the mail settings', async () => {
    const [admin, equal] = [await addUser(testBed, root, 10), await addUser(testBed, root, 10)];
    const people = { root, admin, equal, user: await addUser(testBed, root) };
    for (const [name, { id }] of Object.entries(people))
      await testBed.em().nativeUpdate(User, { id }, { email: `${name}@example.com` });
    const refused = /其他管理员修改过/;
    await configure();
    const told = async (name: keyof typeof people, expected: RegExp) => {
      server.mails.length = 0;
      expect(await ask('/api/reset_password', `${name}@example.com`)).toEqual(done);
      expect((await server.mailTo(`${name}@example.com`)).text).toMatch(expected);
    };
    for (const name of ['root', 'equal'] as const) await told(name, /token=/);
    for (const [key, value] of [
      ['ServerAddress', 'http://localhost:3000'],
      ['SMTPToken', 'secret'],
    ] as const) {
      await testBed.request('PUT', '/api/option/', { as: admin, body: { key, value } });
      for (const name of ['root', 'equal'] as const) await told(name, refused);
      for (const name of ['admin', 'user'] as const) await told(name, /token=/);
      await put(key, value);
      for (const name of ['root', 'equal'] as const) await told(name, /token=/);
    }
  });

  it('drops a waiting reset link when an administrator changes the mail server meanwhile', async () => {
    await configure();
    const [admin, equal] = [await addUser(testBed, root, 10), await addUser(testBed, root, 10)];
    const email = 'waits@example.com';
    await testBed.em().nativeUpdate(User, { id: equal.id }, { email });
    const row = async () => testBed.em().findOneOrFail(Delivery, { target: email });
    server.refusal = { code: 451, message: 'come back later' };
    expect(await ask('/api/reset_password', email)).toEqual(done);
    while ((await row()).reason === '') await new Promise((resolve) => setTimeout(resolve, 20));
    const body = { key: 'SMTPToken', value: 'secret' };
    await testBed.request('PUT', '/api/option/', { as: admin, body });
    server.refusal = undefined;
    await testBed.em().nativeUpdate(Delivery, { target: email }, { nextAttemptAt: new Date() });
    while ((await row()).status === 'waiting') await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await row()).toMatchObject({ status: 'failed', sealedPayload: null });
    expect((await row()).reason).toContain('其他管理员修改');
    expect(server.mails.filter(({ to }) => to.includes(email))).toEqual([]);
    await configure();
    await testBed.em().nativeDelete(Delivery, { target: email });
  });

  it('tries a mail again after an outage of the database, whether that came before or after the mail was sent', async () => {
    await configure();
    const { id } = await addUser(testBed, root);
    const email = 'outage@example.com';
    await testBed.em().nativeUpdate(User, { id }, { email });
    const row = async () => testBed.em().findOneOrFail(Delivery, { target: email });
    const again = () => testBed.em().nativeUpdate(Delivery, { target: email }, { nextAttemptAt: new Date() });
    const until = async (reached: () => Promise<boolean>) => {
      while (!(await reached())) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    const terminated = Object.assign(new Error('terminating connection'), { code: '57P01' });
    const trusted = jest.spyOn(testBed.own(TrustedSettings), 'mayVouchFor');
    trusted.mockResolvedValueOnce(true).mockRejectedValueOnce(terminated);
    expect(await ask('/api/reset_password', email)).toEqual(done);
    await until(async () => (await row()).attempts === 1 && trusted.mock.calls.length === 2);
    await until(async () => (await row()).nextAttemptAt.getTime() > Date.now());
    expect(await row()).toMatchObject({ status: 'waiting', sealedPayload: expect.any(String) });

    await testBed.em().execute(`create function "break_off"() returns trigger language plpgsql as $body$
      begin raise exception 'terminating connection' using errcode = '57P01'; end $body$`);
    await testBed.em().execute(`create trigger "break_off" before update on "delivery" for each row
      when (new."status" = 'sent' and new."target" = '${email}') execute function "break_off"()`);
    await again();
    await server.mailTo(email);
    await until(async () => (await row()).nextAttemptAt.getTime() > Date.now() || (await row()).status !== 'waiting');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await row()).toMatchObject({ status: 'waiting', attempts: 2 });
    await testBed.em().execute('drop trigger "break_off" on "delivery"');
    await again();
    await until(async () => (await row()).status !== 'waiting');
    expect(await row()).toMatchObject({ status: 'sent', reason: '', sealedPayload: null });
    await testBed.em().nativeDelete(Delivery, { target: email });
  });

  it('retries a mail until the server accepts it, and lists the delivery with its outcome', async () => {
    const before = await attempts();
    server.refusal = { code: 451, message: 'come back later' };
    expect(await ask('/api/verification', 'late@example.com')).toEqual(done);
    const row = async () => testBed.em().findOneOrFail(Delivery, { target: 'late@example.com' });
    while ((await row()).reason === '') await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await row()).toMatchObject({ status: 'waiting', attempts: 1 });
    expect((await row()).sealedPayload).not.toContain('late@example.com');
    server.refusal = undefined;
    await testBed.em().nativeUpdate(Delivery, { target: 'late@example.com' }, { nextAttemptAt: new Date() });
    await server.mailTo('late@example.com');
    while ((await row()).status === 'waiting') await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await row()).toMatchObject({ status: 'sent', sealedPayload: null, reason: '' });

    server.refusal = { code: 550, message: 'nobody here' };
    await ask('/api/verification', 'gone@example.com');
    const gone = async () => testBed.em().findOneOrFail(Delivery, { target: 'gone@example.com' });
    while ((await gone()).status === 'waiting') await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await gone()).toMatchObject({ status: 'failed', attempts: 1 });
    const after = await attempts();
    expect(['sent', 'later', 'failed'].map((outcome) => (after[outcome] ?? 0) - (before[outcome] ?? 0))).toEqual([
      1, 1, 1,
    ]);
    server.refusal = undefined;

    const list = await testBed.request('GET', '/api/delivery/', { as: root, query: { status: 'failed' } });
    const { items } = list.body.data as { items: DeliveryReply[] };
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ target: 'gone@example.com', via: 'mail', status: 'failed', user_id: 0 });
    expect(items[0]?.reason).toContain('nobody here');
    const found = async (query: Record<string, string | number>) =>
      ((await testBed.request('GET', '/api/delivery/', { as: root, query })).body.data as { items: DeliveryReply[] })
        .items;
    const all = await found({ page_size: 100 });
    const [first] = all;
    const ofKind = all.filter(({ kind }) => kind === first?.kind);
    expect(await found({ kind: first?.kind ?? '', page_size: 100 })).toEqual(ofKind);
    expect(await found({ kind: 'unheard-of' })).toEqual([]);
    expect(await found({ p: 2, page_size: 1 })).toEqual(all.slice(1, 2));
    const addressee = all.find(({ user_id: id }) => id > 0)?.user_id ?? root.id;
    expect(await found({ user_id: addressee, page_size: 100 })).toEqual(
      all.filter(({ user_id: id }) => id === addressee),
    );
    expect(await found({ user_id: 99_999_999_999 })).toEqual([]);
    const user = await addUser(testBed, root);
    expect((await testBed.request('GET', '/api/delivery/', { as: user })).body.success).toBe(false);
    const own = await testBed.request('GET', '/api/delivery/self', { as: user });
    expect(own.body.data).toMatchObject({ items: [], total: 0 });
  });
});
