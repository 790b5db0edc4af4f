import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, hasPostgres } from '@tollgate/testing';
import { Delivery } from '../src/delivery/delivery.entity.js';
import { User } from '../src/user/user.entity.js';
import { VerificationCodes } from '../src/verification/verification-codes.js';
import { done, MailWorld } from './mail-world.js';
import { type Account, addUser } from './test-bed.js';

(hasPostgres() ? describe : describe.skip)('mail and the codes that it carries', () => {
  const world = new MailWorld();
  beforeAll(() => world.open(), 60_000);
  afterAll(() => world.close());

  const codeIn = (text: string): string => /\d{6}/.exec(text)?.[0] ?? '';

  it('reports that no mail server is configured, for known and unknown addresses', async () => {
    for (const path of ['/api/verification', '/api/reset_password'])
      for (const email of ['new@example.com', 'other@example.com'])
        expect((await world.ask(path, email)).message).toBe('SMTP 服务器未配置');
    const test = await world.testBed.request('POST', '/api/option/mail_test', {
      as: world.root,
      body: { email: 'me@example.com' },
    });
    expect(test.body.message).toBe('SMTP 服务器未配置');
  });

  it('sends a test mail at once, and reports the error of the mail server without the password', async () => {
    await world.configure();
    await world.put('SystemName', 'Acme');
    const test = (body: object) => world.testBed.request('POST', '/api/option/mail_test', { as: world.root, body });
    expect((await test({ email: 'me@example.com' })).body).toMatchObject({ success: true, data: 'me@example.com' });
    const mail = await world.server.mailTo('me@example.com');
    expect(mail).toMatchObject({ subject: 'Acme测试邮件', from: 'Acme <us@acme.example>', user: 'us@acme.example' });
    expect(mail.secure).toBe(true);
    expect((await test({})).body.code).toBe('mail-address-missing');
    await world.put('SMTPToken', 'wrong');
    const { body } = await test({ email: 'me@example.com' });
    expect(body).toMatchObject({ success: false, code: 'mail-failed' });
    expect(body.message).toContain('邮件发送失败：');
    expect(body.message).not.toContain('wrong');
    await world.put('SMTPToken', 'secret');
  });

  it('reports the same error for a closed port as for a port with another protocol', async () => {
    const other = createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const textAt = async (tried: number): Promise<string> => {
      await world.put('SMTPPort', String(tried));
      const body = { email: 'me@example.com' };
      return (await world.testBed.request('POST', '/api/option/mail_test', { as: world.root, body })).body.message;
    };
    const open = await textAt(port);
    await new Promise((resolve) => other.close(resolve));
    expect(await textAt(port)).toBe(open);
    expect(open).toBe('邮件发送失败：无法与邮件服务器建立会话，请检查服务器、端口与加密方式');
    await world.put('SMTPPort', String(world.server.port));
  });

  it('refuses invalid addresses, and addresses that the operator excludes', async () => {
    for (const email of ['', 'nobody', 'a@b', 'a@b.example,c@d.example', `${'a'.repeat(60)}@example.com`])
      expect((await world.ask('/api/verification', email)).message).toBe('无效的参数');
    await world.put('EmailDomainWhitelist', 'example.com');
    await world.put('EmailDomainRestrictionEnabled', 'true');
    await world.put('EmailAliasRestrictionEnabled', 'true');
    expect((await world.ask('/api/verification', 'new@elsewhere.example')).message).toMatch(/domain name whitelist/);
    expect((await world.ask('/api/verification', 'new@sub.example.com')).success).toBe(false);
    expect((await world.ask('/api/verification', 'new+1@example.com')).message).toBe(
      '管理员已启用邮箱地址别名限制，您的邮箱地址由于包含特殊符号而被拒绝。',
    );
    expect(await world.ask('/api/verification', 'plain@EXAMPLE.com')).toEqual(done);
    await world.put('EmailDomainRestrictionEnabled', 'false');
    await world.put('EmailAliasRestrictionEnabled', 'false');
  });

  it('registers a user with the mailed code, which is valid once', async () => {
    await world.put('EmailVerificationEnabled', 'true');
    expect(await world.ask('/api/verification', 'Ann@example.com')).toEqual(done);
    const mail = await world.server.mailTo('ann@example.com');
    expect(mail.subject).toBe('Acme邮箱验证邮件');
    expect(mail.html).toContain('<strong>');
    const register = (username: string, code: string) =>
      world.testBed.request('POST', '/api/user/register', {
        body: { username, password: '12345678', email: 'ann@example.com', verification_code: code },
      });
    expect((await register('ann', codeIn(mail.text))).body).toEqual(done);
    expect(await world.testBed.em().findOneOrFail(User, { usernameKey: 'ann' })).toMatchObject({
      email: 'ann@example.com',
    });
    await world.put('EmailVerificationEnabled', 'false');
  });

  it('registers a user with a code requested while somebody was signed in, in that session only', async () => {
    await world.put('EmailVerificationEnabled', 'true');
    const ada = await addUser(world.testBed, world.root);
    const cookieOf = async ({ username, password }: { username: string; password: string }): Promise<string> => {
      const { headers } = await world.testBed.request('POST', '/api/user/login', { body: { username, password } });
      return String(headers['set-cookie']).split(';')[0] ?? '';
    };
    const [own, foreign] = [await cookieOf(ada), await cookieOf(await addUser(world.testBed, world.root))];
    expect(await world.ask('/api/verification', 'new@example.com', { cookie: own }, ada)).toEqual(done);
    const code = codeIn((await world.server.mailTo('new@example.com')).text);
    const register = async (username: string, cookie: string) => {
      const body = { username, password: '12345678', email: 'new@example.com', verification_code: code };
      return (await world.testBed.request('POST', '/api/user/register', { body, headers: { cookie } })).body;
    };
    for (const cookie of ['', foreign])
      expect(await register('newcomer', cookie)).toMatchObject({ message: '验证码错误或已过期' });
    expect((await register(ada.username, own)).message).toBe('用户名已存在，或已注销');
    expect(await register('newcomer', own)).toEqual(done);
    expect(await register('another', own)).toMatchObject({ message: '验证码错误或已过期' });
    const found = await world.testBed.em().findOneOrFail(User, { usernameKey: 'newcomer' });
    expect(found).toMatchObject({ email: 'new@example.com' });
    await world.put('EmailVerificationEnabled', 'false');
  });

  it('gives the same reply for a taken address, and mails its owner in the language of the request', async () => {
    const english = { 'accept-language': 'en-GB,en' };
    expect(await world.ask('/api/verification', 'ann@example.com', english)).toEqual(done);
    const mail = await world.server.mailTo('ann@example.com', /belongs to an account already/);
    expect(mail.subject).toBe('Acme: verify your e-mail address');
    expect(codeIn(mail.text)).toBe('');
    await world.put('EmailVerificationEnabled', 'true');
    const register = (email: string) => {
      const form = { username: 'guesser', password: '12345678', email, verification_code: '000000' };
      return world.testBed.request('POST', '/api/user/register', { body: form });
    };
    const answers = [await register('ann@example.com'), await register('no-account@example.com')];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [answers[0]?.status, 'verification-code-wrong'],
      [answers[0]?.status, 'verification-code-wrong'],
    ]);
    await world.put('EmailVerificationEnabled', 'false');
  });

  it('sends one code per address in 30 seconds, for known and unknown addresses', async () => {
    const { env } = world.testBed.host;
    const [eve, other] = [await addUser(world.testBed, world.root), await addUser(world.testBed, world.root)];
    const attempt = async (email: string, as?: Account) => {
      const { status, headers, body } = await world.testBed.request('GET', '/api/verification', {
        query: { email },
        as,
      });
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
    const [ben, other] = [await addUser(world.testBed, world.root), await addUser(world.testBed, world.root)];
    expect(await world.ask('/api/verification', 'ben@example.com', {}, ben)).toEqual(done);
    const code = codeIn((await world.server.mailTo('ben@example.com')).text);
    const bind = async (as: Account | undefined, given: string, email = 'ben@example.com') =>
      (await world.testBed.request('GET', '/api/oauth/email/bind', { as, query: { email, code: given } })).body;
    expect((await bind(ben, code, '')).message).toBe('请输入邮箱！');
    expect((await bind(ben, ' ')).message).toBe('请输入邮箱验证码！');
    expect((await bind(undefined, code)).success).toBe(false);
    expect(await bind(other, code)).toMatchObject({ message: '验证码错误或已过期', fields: [{ path: 'code' }] });
    expect(await bind(ben, code)).toEqual(done);
    expect((await bind(ben, code)).message).toBe('验证码错误或已过期');
    expect((await world.testBed.em().findOneOrFail(User, { id: ben.id })).email).toBe('ben@example.com');
  });

  it('tells the former address that it was replaced or removed, and nobody when nothing changed', async () => {
    const eli = await addUser(world.testBed, world.root);
    const bind = async (email: string) => {
      const code = await world.testBed.own(VerificationCodes).issue('register', email);
      return (await world.testBed.request('GET', '/api/oauth/email/bind', { as: eli, query: { email, code } })).body;
    };
    const told = () => world.testBed.em().find(Delivery, { kind: 'address-given-up' }, { orderBy: { id: 'asc' } });
    for (const email of ['eli@example.com', 'eli@example.com']) expect(await bind(email)).toEqual(done);
    expect((await bind('ben@example.com')).code).toBe('email-taken');
    expect(await told()).toEqual([]);
    expect(await bind('other@example.com')).toEqual(done);
    expect((await world.server.mailTo('eli@example.com')).text).toContain('如果不是您本人操作，请立即登录并修改密码');
    expect((await world.testBed.request('DELETE', '/api/user/self/binding/email', { as: eli })).body).toEqual(done);
    await world.server.mailTo('other@example.com');
    expect((await told()).map(({ target, userId }) => [target, userId])).toEqual([
      ['eli@example.com', eli.id],
      ['other@example.com', eli.id],
    ]);
  });

  it('binds an address with a code that was requested without signing in', async () => {
    const cas = await addUser(world.testBed, world.root);
    expect(await world.ask('/api/verification', 'cas@example.com')).toEqual(done);
    const code = codeIn((await world.server.mailTo('cas@example.com')).text);
    const bind = async (email: string) =>
      (await world.testBed.request('GET', '/api/oauth/email/bind', { as: cas, query: { email, code } })).body;
    expect((await bind('elsewhere@example.com')).message).toBe('验证码错误或已过期');
    expect(await bind('cas@example.com')).toEqual(done);
    expect((await bind('cas@example.com')).message).toBe('验证码错误或已过期');
    expect((await world.testBed.em().findOneOrFail(User, { id: cas.id })).email).toBe('cas@example.com');
  });

  it('resets a password with the mailed link, which is valid once, and ends every session', async () => {
    const link = async () => {
      const before = world.server.mails.length;
      expect(await world.ask('/api/reset_password', 'ben@example.com')).toEqual(done);
      await eventually('another mail', () => world.server.mails.length > before);
      const { text, subject } = await world.server.mailTo('ben@example.com');
      expect(subject).toBe('Acme密码重置');
      return new URL(/http:\/\/localhost:\S+\/user\/reset\?\S+/.exec(text)?.[0].replace(/\)$/, '') ?? '').searchParams;
    };
    const reset = async (body: object) => (await world.testBed.request('POST', '/api/user/reset', { body })).body;
    const [first, params] = [await link(), await link()];
    const [email, token] = [params.get('email') ?? '', params.get('token') ?? ''];
    expect([email, token.length]).toEqual(['ben@example.com', 32]);
    for (const body of [{}, { email }, { email, token: '' }]) expect((await reset(body)).message).toBe('无效的参数');
    expect((await reset({ email, token: first.get('token') })).message).toBe('重置链接非法或已过期');
    const before = await world.testBed.em().findOneOrFail(User, { email });
    const answer = await reset({ email, token });
    const password = answer.data as string;
    expect(password.length).toBeGreaterThanOrEqual(12);
    expect((await reset({ email, token })).message).toBe('重置链接非法或已过期');
    const login = await world.testBed.request('POST', '/api/user/login', { body: { username: email, password } });
    expect(login.body.success).toBe(true);
    const after = await world.testBed.em().findOneOrFail(User, { email });
    expect(after.sessionVersion).toBe(before.sessionVersion + 1);
  });

  it('gives the same reply to a password reset for an unknown address', async () => {
    expect(await world.ask('/api/reset_password', 'nobody@example.com')).toEqual(done);
    expect((await world.server.mailTo('nobody@example.com')).text).not.toContain('token=');
  });

  it('mails the same about the address of a deleted account to whoever verifies it or resets a password', async () => {
    const { id } = await addUser(world.testBed, world.root);
    await world.testBed.em().nativeUpdate(User, { id }, { email: 'closed@example.com' });
    await world.testBed.request('POST', '/api/user/manage', { as: world.root, body: { id, action: 'delete' } });
    const english = { 'accept-language': 'en' };
    for (const path of ['/api/verification', '/api/reset_password']) {
      world.server.mails.length = 0;
      expect(await world.ask(path, 'closed@example.com', english)).toEqual(done);
      const { text } = await world.server.mailTo('closed@example.com');
      expect(text).toMatch(/belonged to an account that was deleted, and stays reserved/);
      expect(text).not.toMatch(/http/);
    }
  });
});
