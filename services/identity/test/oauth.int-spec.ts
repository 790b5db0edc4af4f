import { createHash, createHmac, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signForwarded } from '@tollgate/chassis';
import type { BindingName } from '@tollgate/contracts/api/oauth';
import { hasPostgres, SIGN_IN_CLIENT } from '@tollgate/testing';
import { Option } from '../src/option/option.entity.js';
import { OptionService } from '../src/option/option.service.js';
import { User } from '../src/user/user.entity.js';
import { Turnstile } from '../src/verification/turnstile.js';
import { BOT, CALLBACK, cookieOf, idOf, OAuthWorld, startPlainProvider } from './oauth-world.js';
import { type Account, addUser, type Answer } from './test-bed.js';

/** Ids of accounts that a provider may state, but that no column of the database can hold or look up. */
const unusable = ['nul\0', randomBytes(4000).toString('hex'), '\ud800'];
const forwarded = { requestId: 'r', protocol: 'http', host: 'gate.example', local: false } as const;

(hasPostgres() ? describe : describe.skip)('sign-in by accounts at other providers', () => {
  const world = new OAuthWorld();
  beforeAll(() => world.open(), 60_000);
  const closing: (() => Promise<void>)[] = [() => world.close()];
  afterAll(() => Promise.all(closing.map((close) => close())));

  describe('by OIDC', () => {
    /** Signs in the way the console does, against a certified provider implementation. */
    const come = async (as?: Account) => {
      const answer = await world.get('/api/oauth/authorize', {
        provider: 'oidc',
        origin: 'http://localhost:3000',
        aff: '',
      });
      const url = String(answer.body.data);
      const back = await world.oidc.follow(url);
      return world.get('/api/oauth/oidc', Object.fromEntries(back.searchParams), cookieOf(answer), as);
    };

    it('is disabled by default', async () => {
      const { body } = await world.get('/api/oauth/authorize', { provider: 'oidc' });
      expect(body.message).toBe('管理员未开启通过 OIDC 登录以及注册');
      await world.put('oidc.enabled', 'true');
    });

    it('signs in with PKCE and a nonce, and shortens the name to the allowed length', async () => {
      world.oidc.person = {
        sub: 'u-1',
        email: 'u1@provider.example',
        email_verified: true,
        preferred_username: 'averylongusername',
      };
      const first = await come();
      expect(first.body.success).toBe(true);
      expect(await world.userOf(idOf(first))).toMatchObject({
        oidcId: 'u-1',
        username: 'averylonguse',
        email: 'u1@provider.example',
      });
      expect(idOf(await come())).toBe(idOf(first));
      world.oidc.person = { ...world.oidc.person, sub: 'u-2', email_verified: false };
      const second = await world.userOf(idOf(await come()));
      expect(second).toMatchObject({ email: '', displayName: 'OIDC User' });
      expect(second.username).toMatch(/^averylo_\d{4}$/);
    });

    it('follows the documented exchange of a page that builds the address itself', async () => {
      world.oidc.person = { sub: 'u-3', email: 'u3@provider.example', email_verified: true };
      const { cookie, state } = await world.visit();
      const url = new URL(`${world.oidc.issuer}/auth`);
      const query = { client_id: world.oidc.clientId, redirect_uri: CALLBACK, response_type: 'code', state };
      for (const [name, value] of Object.entries({ ...query, scope: 'openid profile email' }))
        url.searchParams.set(name, value);
      const back = await world.oidc.follow(url.toString());
      const code = back.searchParams.get('code') ?? '';
      expect((await world.get('/api/oauth/oidc', { code, state }, cookie)).body.success).toBe(true);
      const replayed = await world.visit();
      expect((await world.get('/api/oauth/oidc', { code, state: replayed.state }, replayed.cookie)).body.message).toBe(
        'OIDC 获取 Token 失败，请检查设置！',
      );
    });

    it('binds an account, and works without a discovery document', async () => {
      const user = await addUser(world.testBed, world.root);
      world.oidc.person = { sub: 'u-4', email: 'u4@provider.example', email_verified: true };
      expect((await come(user)).body).toEqual({ success: true, message: 'bind' });
      await world.put('oidc.well_known', '');
      for (const [key, path] of [
        ['authorization_endpoint', 'auth'],
        ['token_endpoint', 'token'],
        ['user_info_endpoint', 'me'],
      ] as const)
        await world.put(`oidc.${key}`, `${world.oidc.issuer}/${path}`);
      expect(idOf(await come())).toBe(user.id);
      await world.put('oidc.token_endpoint', `${world.oidc.issuer.replace('localhost', '127.0.0.1')}/token`);
      // Visitors see the documented message; the reason is only in the log.
      expect((await come()).body).toEqual({
        ...{ success: false, code: 'provider-refused', kind: 'upstream' },
        message: '无法连接至 OIDC 服务器，请稍后重试！',
      });
      await world.put('oidc.token_endpoint', `${world.oidc.issuer}/token`);
    });

    it('reads the plain replies of a server that is no complete provider, where only its endpoints are entered', async () => {
      const plain = await startPlainProvider();
      closing.push(plain.close);
      await world.put('oidc.well_known', '');
      for (const key of ['token_endpoint', 'user_info_endpoint']) await world.put(`oidc.${key}`, `${plain.url}/${key}`);
      const arrive = async (token: object | string, user: object | string): Promise<Answer['body']> => {
        Object.assign(plain.replies, { token_endpoint: token, user_info_endpoint: user });
        const { cookie, state } = await world.visit();
        return (await world.get('/api/oauth/oidc', { code: 'c', state }, cookie)).body;
      };
      const token = { access_token: 'plain' };
      const person = { sub: 'plain-1', email: 'p1@provider.example' };
      const first = await arrive(token, person);
      expect(first).toMatchObject({ success: true, data: { role: 1 } });
      expect(await arrive({ ...token, token_type: 'bearer', id_token: 'x', expires_in: '60' }, person)).toEqual(first);
      for (const nobody of [{ ...person, sub: '' }, { email: person.email }, { sub: 'plain-2' }, {}])
        expect((await arrive(token, nobody)).message).toBe('OIDC 获取用户信息为空！请检查设置！');
      for (const bad of ['no JSON', '[]', 'null'])
        expect((await arrive(token, bad)).message).toBe('OIDC 获取用户信息失败！请检查设置！');
      for (const bad of [{}, { access_token: '' }, { error: 'invalid_grant' }, 'no JSON', 'null'])
        expect((await arrive(bad, person)).message).toBe('OIDC 获取 Token 失败，请检查设置！');
      const odd = { preferred_username: 5, name: ['x'], email_verified: true };
      expect(await arrive(token, { ...odd, sub: 'plain-3', email: 'no address' })).toMatchObject({ success: true });
      expect(await world.testBed.em().findOne(User, { oidcId: 'plain-3' })).toMatchObject({ email: '' });
      for (const sub of [...unusable, ' '])
        expect((await arrive(token, { ...person, sub })).message).toBe('OIDC 获取用户信息为空！请检查设置！');
      for (const email of [5, ['p@provider.example'], ' '])
        expect((await arrive(token, { ...odd, sub: 'plain-4', email })).message).toBe(
          'OIDC 获取用户信息为空！请检查设置！',
        );
      plain.status = 500;
      const failed = await arrive(token, { error: 'server_error' });
      expect(failed.message).toBe('OIDC 获取用户信息失败！请检查设置！');
    });

    it('reports incomplete settings, which an earlier release could store, at the callback', async () => {
      const { cookie, state } = await world.visit();
      await world.testBed.em().nativeUpdate(Option, { key: 'oidc.client_id' }, { value: '' });
      await world.testBed.own(OptionService).refreshStore();
      const { status, body } = await world.get('/api/oauth/oidc', { code: 'x', state }, cookie);
      expect([status, body.message]).toEqual([200, 'OIDC 获取 Token 失败，请检查设置！']);
      await world.put('oidc.client_id', world.oidc.clientId);
    });
  });

  it('signs in and registers by LinuxDO', async () => {
    await world.put('LinuxDOOAuthEnabled', 'true');
    world.others.linuxdo.set('one', { id: 77, username: 'neo', name: 'Neo' });
    const { cookie, state } = await world.visit();
    const answer = await world.get('/api/oauth/linuxdo', { code: 'one', state }, cookie);
    expect(await world.userOf(idOf(answer))).toMatchObject({ linuxDoId: '77', displayName: 'Neo' });
    const next = await world.visit();
    const wrong = await world.get('/api/oauth/linuxdo', { code: 'two', state: next.state }, next.cookie);
    expect(wrong.body.message).toBe('failed to get access token: bad code');
  });

  it('keeps the number of a new user whole in the name, so that names do not run out', async () => {
    await world.testBed.em().execute(`select setval(pg_get_serial_sequence('users', 'id'), 9999)`);
    await addUser(world.testBed, world.root);
    for (const [code, id] of [
      ['next', 78],
      ['after', 79],
    ] as const) {
      world.others.linuxdo.set(code, { id, username: code });
      const { cookie, state } = await world.visit();
      const user = await world.userOf(idOf(await world.get('/api/oauth/linuxdo', { code, state }, cookie)));
      expect(user.username).toBe(`linuxd_${user.id}`);
    }
  });

  it('signs in, registers and binds by WeChat', async () => {
    for (const code of ['1', ''])
      expect((await world.get('/api/oauth/wechat', { code })).body.message).toBe('管理员未开启通过微信登录以及注册');
    await world.put('WeChatAuthEnabled', 'true');
    expect((await world.get('/api/oauth/wechat', { code: '' })).body.message).toBe('无效的参数');
    expect((await world.get('/api/oauth/wechat', { code: '000' })).body).toMatchObject({
      message: '验证码错误或已过期',
      fields: [{ path: 'code' }],
    });
    world.others.wechat.set('111', 'wx-1');
    const answer = await world.get('/api/oauth/wechat', { code: '111' });
    expect(await world.userOf(idOf(answer))).toMatchObject({ wechatId: 'wx-1', displayName: 'WeChat User' });
    const from = (site: string) =>
      world.testBed.request('GET', '/api/oauth/wechat', {
        query: { code: '111' },
        headers: { 'sec-fetch-site': site },
      });
    for (const site of ['cross-site', 'same-site']) {
      const foreign = await from(site);
      expect([foreign.status, foreign.body.code]).toEqual([403, 'foreign-origin']);
      expect(foreign.headers['set-cookie']).toBeUndefined();
    }
    world.others.wechat.set('111', 'wx-1');
    expect((await from('same-origin')).body.success).toBe(true);
    world.others.wechat.set('222', 'wx-2');
    const user = await addUser(world.testBed, world.root);
    expect((await world.get('/api/oauth/wechat/bind', { code: '222' })).status).toBe(401);
    expect((await world.get('/api/oauth/wechat/bind', { code: '222' }, '', user)).body).toEqual({
      success: true,
      message: '',
    });
    expect((await world.get('/api/oauth/wechat/bind', { code: '111' }, '', user)).body.message).toBe(
      '该微信账号已被绑定',
    );
  });

  it('reads the replies of a WeChat server that leaves its message empty, and takes no id that cannot be stored', async () => {
    const plain = await startPlainProvider();
    closing.push(plain.close);
    await world.put('WeChatServerAddress', plain.url);
    const arrive = async (reply: object) => {
      plain.replies['api/wechat/user'] = reply;
      return (await world.get('/api/oauth/wechat', { code: '1' })).body;
    };
    expect(await arrive({ success: true, message: null, data: 'wx-plain' })).toMatchObject({ success: true });
    for (const data of [...unusable, ' ', 5])
      expect((await arrive({ success: true, data })).message).toBe('验证码错误或已过期');
    expect((await arrive({ success: false, message: null })).message).toBe('验证码错误或已过期');
    await world.put('WeChatServerAddress', world.others.url);
  });

  it('signs in users bound to Telegram, and accepts each signature for one successful sign-in only', async () => {
    // Fixed start time: with a moving clock two signatures could fall into the same second and be equal.
    let signedAt = Math.floor(Date.now() / 1000);
    const fields = (id: string): Record<string, string> => {
      signedAt -= 1;
      const signed = { id, first_name: 'Ann', auth_date: String(signedAt) };
      const text = Object.entries(signed)
        .map(([name, value]) => `${name}=${value}`)
        .sort()
        .join('\n');
      const hash = createHmac('sha256', createHash('sha256').update(BOT).digest()).update(text).digest('hex');
      return { ...signed, hash };
    };
    const login = (query: Record<string, string>) => world.get('/api/oauth/telegram/login', query);
    expect((await login(fields('9'))).body.message).toBe('管理员未开启通过 Telegram 登录以及注册');
    await world.put('TelegramOAuthEnabled', 'true');
    const unknown = fields('9');
    expect((await login(unknown)).body.message).toBe('该 Telegram 账户未绑定');
    expect((await login({ ...fields('9'), id: '10' })).body.message).toBe('无效的请求');
    const user = await addUser(world.testBed, world.root);
    const bind = (query: Record<string, string>, as: Account) => world.get('/api/oauth/telegram/bind', query, '', as);
    // A refused request has not used up its signature.
    const bound = await bind(unknown, user);
    expect([bound.status, bound.headers.location]).toEqual([302, '/setting']);
    expect((await bind(unknown, world.root)).body.message).toBe('该 Telegram 账户已被绑定');
    // One address may bind and sign in by one signature; another address cannot use it.
    const far = {
      'x-tollgate-forwarded': signForwarded(world.testBed.host.secrets, { ...forwarded, address: '198.51.100.7' }),
    };
    const loginFar = (query: Record<string, string>) =>
      world.testBed.request('GET', '/api/oauth/telegram/login', { query, headers: far });
    expect((await loginFar(unknown)).body.message).toBe('无效的请求');
    expect(idOf(await login(unknown))).toBe(user.id);
    expect((await login(unknown)).body.message).toBe('无效的请求');
    const once = fields('9');
    expect(idOf(await login(once))).toBe(user.id);
    expect((await login(once)).body.message).toBe('无效的请求');
    expect((await bind(once, user)).status).toBe(302);
    const raced = fields('9');
    const outcomes = await Promise.all([login(raced), login(raced), loginFar(raced)]);
    expect(outcomes.filter(({ body }) => body.success)).toHaveLength(1);
  });

  it('refuses sign-in to users of equal or higher rank through a provider that an administrator configured', async () => {
    const [admin, equal] = [await addUser(world.testBed, world.root, 10), await addUser(world.testBed, world.root, 10)];
    const user = await addUser(world.testBed, world.root);
    const people = { root: world.root, admin, equal, user };
    const idWith = async (code: string) => {
      const answer = await world.get('/api/oauth/wechat', { code });
      return answer.body.success ? idOf(answer) : String(answer.body.code);
    };
    const inAs = async () => {
      const entries = Object.keys(people).map(async (code) => [code, await idWith(code)] as const);
      return Object.fromEntries(await Promise.all(entries));
    };
    await world.put('WeChatAuthEnabled', 'true');
    for (const [code, person] of Object.entries(people)) {
      world.others.wechat.set(code, `wx-${code}`);
      await world.get('/api/oauth/wechat/bind', { code }, '', person);
    }
    const all = { root: world.root.id, admin: admin.id, equal: equal.id, user: user.id };
    expect(await inAs()).toEqual(all);
    const change = (key: string, value: string) =>
      world.testBed.request('PUT', '/api/option/', { as: admin, body: { key, value } });
    await change('WeChatServerToken', SIGN_IN_CLIENT.secret);
    expect((await change('WeChatServerAddress', `${world.others.url}/`)).body.success).toBe(true);
    expect(await inAs()).toEqual({ ...all, root: 'provider-not-trusted', equal: 'provider-not-trusted' });
    await world.put('WeChatServerAddress', world.others.url);
    expect(await inAs()).toEqual(all);
    await world.testBed.request('DELETE', '/api/user/self/binding/wechat', { as: world.root });
  });

  it('removes bindings, but never the last sign-in method', async () => {
    const { id } = await world.testBed.em().findOneOrFail(User, { linuxDoId: '77' });
    const owner: Account = { id, username: 'neo', role: 1, group: 'default' };
    const unbind = async (name: BindingName, as: Account) =>
      (await world.testBed.request('DELETE', `/api/user/self/binding/${name}`, { as })).body;
    expect(await unbind('linuxdo', owner)).toMatchObject({ success: false, code: 'own-last-sign-in-method' });
    const user = await world.testBed.em().findOneOrFail(User, { oidcId: 'u-4' });
    const other: Account = { id: user.id, username: user.username, role: 1, group: 'default' };
    expect(await unbind('oidc', other)).toEqual({ success: true, message: '' });
    expect((await world.userOf(user.id)).oidcId).toBeNull();
    expect((await unbind('nothing' as BindingName, other)).message).toBe('无效的参数');
    const path = `/api/user/${id}/binding/linuxdo`;
    expect((await world.testBed.request('DELETE', path, { as: other })).body.success).toBe(false);
    expect((await world.testBed.request('DELETE', path, { as: world.root })).body).toEqual({
      success: true,
      message: '',
    });
    expect((await world.userOf(id)).linuxDoId).toBeNull();
  });

  it('follows the verdict of the bot-check service, and reports when that cannot be reached', async () => {
    await world.put('TurnstileSiteKey', 'site');
    await world.put('TurnstileSecretKey', SIGN_IN_CLIENT.secret);
    await world.put('TurnstileCheckEnabled', 'true');
    world.others.turnstile.add('proof');
    const login = async (turnstile: string) =>
      (
        await world.testBed.request('POST', '/api/user/login', {
          query: { turnstile },
          body: { username: 'root', password: 'rootroot' },
        })
      ).body;
    expect((await login('')).message).toBe('Turnstile token 为空');
    expect((await login('made up')).message).toBe('Turnstile 校验失败，请刷新重试！');
    expect((await login('proof')).success).toBe(true);
    expect((await login('proof')).message).toBe('Turnstile 校验失败，请刷新重试！');
    world.testBed.own(Turnstile).address = 'http://localhost:9';
    expect((await login('proof')).code).toBe('turnstile-unavailable');
    // Existing sessions continue.
    expect((await world.testBed.request('GET', '/api/user/self', { as: world.root })).body.success).toBe(true);
    await world.put('TurnstileCheckEnabled', 'false');
  });
});
