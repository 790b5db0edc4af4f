import { createHash, createHmac } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signForwarded } from '@tollgate/chassis';
import type { BindingName } from '@tollgate/contracts/api/oauth';
import {
  hasPostgres,
  type OidcStandIn,
  SIGN_IN_CLIENT,
  type SignInStandIns,
  startOidcProvider,
  startSignInStandIns,
} from '@tollgate/testing';
import { ProviderAddresses } from '../src/oauth/providers/addresses.js';
import { Option } from '../src/option/option.entity.js';
import { User } from '../src/user/user.entity.js';
import { Turnstile } from '../src/verification/turnstile.js';
import { type Account, addUser, type Answer, setUp, type Stand, startIdentity } from './stand.js';

const CALLBACK = 'http://localhost:3000/oauth/oidc';
const BOT = '42:secret';
const forwarded = { requestId: 'r', protocol: 'http', host: 'gate.example', local: false } as const;

(hasPostgres() ? describe : describe.skip)('sign-in by accounts elsewhere', () => {
  let stand: Stand;
  let root: Account;
  let oidc: OidcStandIn;
  let others: SignInStandIns;

  beforeAll(async () => {
    [oidc, others] = await Promise.all([startOidcProvider({ redirectUris: [CALLBACK] }), startSignInStandIns()]);
    stand = await startIdentity({ TOLLGATE_OUTBOUND_ALLOW: 'localhost', TOLLGATE_RATE_LIMITS: 'off' });
    root = await setUp(stand);
    Object.assign(stand.own(ProviderAddresses), { github: others.url, githubApi: others.url, linuxdo: others.url });
    stand.own(Turnstile).address = others.url;
    const { id, secret } = SIGN_IN_CLIENT;
    const options: [string, string][] = [
      ['ServerAddress', 'http://localhost:3000'],
      ['GitHubClientId', id],
      ['GitHubClientSecret', secret],
      ['LinuxDOClientId', id],
      ['LinuxDOClientSecret', secret],
      ['WeChatServerAddress', others.url],
      ['WeChatServerToken', secret],
      ['TelegramBotToken', BOT],
      ['oidc.client_id', oidc.clientId],
      ['oidc.client_secret', oidc.clientSecret],
      ['oidc.well_known', oidc.wellKnown],
    ];
    for (const [key, value] of options) await put(key, value);
  }, 60_000);
  afterAll(async () => {
    await stand?.stop();
    await Promise.all([oidc?.close(), others?.close()]);
  });

  const put = async (key: string, value: string) => {
    const { body } = await stand.request('PUT', '/api/option/', { as: root, body: { key, value } });
    expect(body).toEqual({ success: true, message: '' });
  };
  const cookieOf = (answer: Answer): string => String(answer.headers['set-cookie']).split(';')[0] ?? '';
  const get = (path: string, query: Record<string, string>, cookie = '', as?: Account) =>
    stand.request('GET', path, { query, headers: { cookie }, as });
  /** A visit with a state, as the documented call gives it. */
  const visit = async (aff = '') => {
    const answer = await get('/api/oauth/state', { aff });
    return { cookie: cookieOf(answer), state: String(answer.body.data) };
  };
  /** Until a call stands at a lock that the test holds. */
  const waiting = async () => {
    const sql = 'select 1 from pg_locks where not granted';
    while ((await stand.em().execute<object[]>(sql)).length === 0)
      await new Promise((resolve) => setTimeout(resolve, 10));
  };
  /** Calls while a transaction of somebody else is open, outside of its context; it commits once the call waits for it. */
  const callDuring = async (work: (em: EntityManager) => Promise<unknown>, call: () => Promise<Answer>) => {
    const [working, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const other = stand.em().transactional(async (em) => {
      await work(em);
      working.resolve();
      await release.promise;
    });
    await working.promise;
    const answer = call();
    await Promise.race([answer, waiting()]);
    release.resolve();
    await other;
    return answer;
  };
  const userOf = (id: number) => stand.em().findOneOrFail(User, { id });
  const idOf = (answer: Answer): number => (answer.body.data as { id: number }).id;

  describe('by GitHub', () => {
    const come = async (code: string, as?: Account) => {
      const { cookie, state } = await visit('code');
      return get('/api/oauth/github', { code, state }, cookie, as);
    };

    it('says which method is off, and spends the state all the same', async () => {
      const { cookie, state } = await visit();
      const off = await get('/api/oauth/github', { code: 'x', state }, cookie);
      expect([off.status, off.body.message]).toEqual([200, '管理员未开启通过 GitHub 登录以及注册']);
      const again = await get('/api/oauth/github', { code: 'x', state }, cookie);
      expect([again.status, again.body.message]).toEqual([403, 'state is empty or not same']);
      await put('GitHubOAuthEnabled', 'true');
    });

    it('takes a state from the browser only that it was given to', async () => {
      const [one, other] = [await visit(), await visit()];
      for (const [state, cookie] of [
        [one.state, other.cookie],
        [one.state, ''],
        ['', one.cookie],
        ['made up', one.cookie],
      ] as const)
        expect((await get('/api/oauth/github', { code: 'x', state }, cookie)).status).toBe(403);
    });

    it('registers whoever is new, with the inviter of the link and a verified address, and knows them again', async () => {
      stand.billing.codes.set('code', root.id);
      const emails = [{ email: 'Octo@example.com', primary: true, verified: true }];
      others.github.set('one', { id: 583_231, login: 'octocat', name: 'The Octocat', emails });
      const first = await come('one');
      expect(first.body).toMatchObject({ success: true, message: '', data: { display_name: 'The Octocat', role: 1 } });
      const user = await userOf(idOf(first));
      expect(user).toMatchObject({
        githubId: '583231',
        email: 'octo@example.com',
        passwordHash: '',
        inviterId: root.id,
      });
      expect(user.username).toBe(`github_${user.id}`);
      const own = (as: Account) => get('/api/user/self', {}, '', as).then(({ body }) => body.data);
      expect(await own({ id: user.id, username: user.username, role: 1, group: 'default' })).toMatchObject({
        original_needed: false,
      });
      expect(await own(root)).toMatchObject({ original_needed: true });
      // Whoever finds an open browser, or an access token, adds no way in of their own.
      const self: Account = { id: user.id, username: user.username, role: 1, group: 'default' };
      const adding = (cookie: string) =>
        stand.request('PUT', '/api/user/self', { as: self, headers: { cookie }, body: { password: 'my first one' } });
      expect((await adding('')).body.code).toBe('sign-in-again');
      expect((await adding(cookieOf(first))).body.success).toBe(true);
      expect(stand.billing.opened).toContainEqual({ userId: user.id, kind: 'oauth', inviterId: root.id });

      // A renamed login is the same person; a freed one is not.
      others.github.set('two', { id: 583_231, login: 'renamed' });
      expect(idOf(await come('two'))).toBe(user.id);
      others.github.set('three', { id: 999, login: 'octocat' });
      expect(idOf(await come('three'))).not.toBe(user.id);
    });

    it('takes no address over that is not verified, or that somebody has', async () => {
      const emails = [{ email: 'root@example.com', primary: true, verified: false }];
      others.github.set('unverified', { id: 1001, login: 'a', emails });
      expect((await userOf(idOf(await come('unverified')))).email).toBe('');
      others.github.set('taken', {
        id: 1002,
        login: 'b',
        emails: [{ email: 'octo@example.com', primary: true, verified: true }],
      });
      expect((await userOf(idOf(await come('taken')))).email).toBe('');
    });

    it('takes no address over that the operator does not take', async () => {
      const person = (code: string, id: number, email: string) =>
        others.github.set(code, { id, login: code, emails: [{ email, primary: true, verified: true }] });
      await put('EmailDomainWhitelist', 'example.com');
      await put('EmailDomainRestrictionEnabled', 'true');
      await put('EmailAliasRestrictionEnabled', 'true');
      for (const [code, id, email, kept] of [
        ['outside', 1011, 'one@elsewhere.example', ''],
        ['alias', 1012, 'one+two@example.com', ''],
        ['inside', 1013, 'inside@example.com', 'inside@example.com'],
      ] as const) {
        person(code, id, email);
        expect((await userOf(idOf(await come(code)))).email).toBe(kept);
      }
      await put('EmailDomainRestrictionEnabled', 'false');
      await put('EmailAliasRestrictionEnabled', 'false');
    });

    it('comes in without an address that somebody takes at the same moment', async () => {
      const emails = [{ email: 'race@example.com', primary: true, verified: true }];
      others.github.set('race', { id: 1021, login: 'race', emails });
      const { id } = await addUser(stand, root);
      const answer = await callDuring(
        (em) => em.nativeUpdate(User, { id }, { email: 'race@example.com' }),
        () => come('race'),
      );
      const user = await userOf(idOf(answer));
      expect(user).toMatchObject({ githubId: '1021', email: '' });
      expect(user.username).toMatch(/^github_\d+$/);
    });

    it('refuses a wrong code, no code, and what the provider refuses', async () => {
      expect((await come('nonsense')).body.message).toBe('返回值非法，用户字段为空，请稍后重试！');
      expect((await come('')).body.message).toBe('无效的参数');
      const { cookie, state } = await visit();
      const denied = await get(
        '/api/oauth/github',
        { error: 'access_denied', error_description: 'No.', state },
        cookie,
      );
      expect(denied.body).toMatchObject({ success: false, message: 'No.' });
    });

    it('binds for whoever is signed in, but no account of somebody else', async () => {
      const user = await addUser(stand, root);
      others.github.set('mine', { id: 2001, login: 'mine' });
      expect((await come('mine', user)).body).toEqual({ success: true, message: 'bind' });
      expect((await userOf(user.id)).githubId).toBe('2001');
      others.github.set('again', { id: 2001, login: 'mine' });
      expect((await come('again', user)).body.success).toBe(true);
      others.github.set('theirs', { id: 2001, login: 'mine' });
      expect((await come('theirs', await addUser(stand, root))).body.message).toBe('该 GitHub 账户已被绑定');
    });

    it('lets in nobody who is banned or deleted, and registers nobody while that is closed', async () => {
      others.github.set('ban', { id: 2001, login: 'mine' });
      const { id } = await stand.em().findOneOrFail(User, { githubId: '2001' });
      await stand.request('POST', '/api/user/manage', { as: root, body: { id, action: 'disable' } });
      expect((await come('ban')).body.message).toBe('用户已被封禁');
      await stand.request('POST', '/api/user/manage', { as: root, body: { id, action: 'delete' } });
      others.github.set('gone', { id: 2001, login: 'mine' });
      expect((await come('gone')).body.message).toBe('用户已注销');
      others.github.set('late', { id: 3001, login: 'late' });
      await put('RegisterEnabled', 'false');
      expect((await come('late')).body.message).toBe('管理员关闭了新用户注册');
      await put('RegisterEnabled', 'true');
    });

    it('makes one user of two callbacks at once', async () => {
      for (const code of ['left', 'right']) others.github.set(code, { id: 4001, login: 'twice' });
      const answers = await Promise.all([come('left'), come('right')]);
      expect(new Set(answers.map(idOf)).size).toBe(1);
    });
  });

  describe('by OIDC', () => {
    /** The whole way of the console, by a provider that is certified. */
    const come = async (as?: Account) => {
      const answer = await get('/api/oauth/authorize', { provider: 'oidc', origin: 'http://localhost:3000', aff: '' });
      const url = String(answer.body.data);
      const back = await oidc.follow(url);
      return get('/api/oauth/oidc', Object.fromEntries(back.searchParams), cookieOf(answer), as);
    };

    it('is off until it is switched on', async () => {
      const { body } = await get('/api/oauth/authorize', { provider: 'oidc' });
      expect(body.message).toBe('管理员未开启通过 OIDC 登录以及注册');
      await put('oidc.enabled', 'true');
    });

    it('signs in with PKCE and a nonce, and takes the name over as far as it fits', async () => {
      oidc.person = {
        sub: 'u-1',
        email: 'u1@provider.example',
        email_verified: true,
        preferred_username: 'averylongusername',
      };
      const first = await come();
      expect(first.body.success).toBe(true);
      expect(await userOf(idOf(first))).toMatchObject({
        oidcId: 'u-1',
        username: 'averylonguse',
        email: 'u1@provider.example',
      });
      expect(idOf(await come())).toBe(idOf(first));
      oidc.person = { ...oidc.person, sub: 'u-2', email_verified: false };
      const second = await userOf(idOf(await come()));
      expect(second).toMatchObject({ email: '', displayName: 'OIDC User' });
      expect(second.username).toMatch(/^averylo_\d{4}$/);
    });

    it('follows the documented exchange of a page that builds the address itself', async () => {
      oidc.person = { sub: 'u-3', email: 'u3@provider.example', email_verified: true };
      const { cookie, state } = await visit();
      const url = new URL(`${oidc.issuer}/auth`);
      const query = { client_id: oidc.clientId, redirect_uri: CALLBACK, response_type: 'code', state };
      for (const [name, value] of Object.entries({ ...query, scope: 'openid profile email' }))
        url.searchParams.set(name, value);
      const back = await oidc.follow(url.toString());
      const code = back.searchParams.get('code') ?? '';
      expect((await get('/api/oauth/oidc', { code, state }, cookie)).body.success).toBe(true);
      const replayed = await visit();
      expect((await get('/api/oauth/oidc', { code, state: replayed.state }, replayed.cookie)).body.message).toBe(
        'OIDC 获取 Token 失败，请检查设置！',
      );
    });

    it('binds, and works by the three addresses alone', async () => {
      const user = await addUser(stand, root);
      oidc.person = { sub: 'u-4', email: 'u4@provider.example', email_verified: true };
      expect((await come(user)).body).toEqual({ success: true, message: 'bind' });
      await put('oidc.well_known', '');
      for (const [key, path] of [
        ['authorization_endpoint', 'auth'],
        ['token_endpoint', 'token'],
        ['user_info_endpoint', 'me'],
      ] as const)
        await put(`oidc.${key}`, `${oidc.issuer}/${path}`);
      expect(idOf(await come())).toBe(user.id);
      await put('oidc.token_endpoint', `${oidc.issuer.replace('localhost', '127.0.0.1')}/token`);
      // Why is the operator's to know: people who come to sign in read the documented words.
      expect((await come()).body).toEqual({
        ...{ success: false, code: 'provider-refused', kind: 'upstream' },
        message: '无法连接至 OIDC 服务器，请稍后重试！',
      });
      await put('oidc.token_endpoint', `${oidc.issuer}/token`);
    });

    it('says that the settings are incomplete to whoever comes back meanwhile', async () => {
      const { cookie, state } = await visit();
      await put('oidc.client_id', '');
      const { status, body } = await get('/api/oauth/oidc', { code: 'x', state }, cookie);
      expect([status, body.message]).toEqual([200, 'OIDC 获取 Token 失败，请检查设置！']);
      await put('oidc.client_id', oidc.clientId);
    });
  });

  it('signs in and registers by LinuxDO', async () => {
    await put('LinuxDOOAuthEnabled', 'true');
    others.linuxdo.set('one', { id: 77, username: 'neo', name: 'Neo' });
    const { cookie, state } = await visit();
    const answer = await get('/api/oauth/linuxdo', { code: 'one', state }, cookie);
    expect(await userOf(idOf(answer))).toMatchObject({ linuxDoId: '77', displayName: 'Neo' });
    const next = await visit();
    const wrong = await get('/api/oauth/linuxdo', { code: 'two', state: next.state }, next.cookie);
    expect(wrong.body.message).toBe('failed to get access token: bad code');
  });

  it('signs in, registers and binds by WeChat', async () => {
    for (const code of ['1', ''])
      expect((await get('/api/oauth/wechat', { code })).body.message).toBe('管理员未开启通过微信登录以及注册');
    await put('WeChatAuthEnabled', 'true');
    expect((await get('/api/oauth/wechat', { code: '' })).body.message).toBe('无效的参数');
    expect((await get('/api/oauth/wechat', { code: '000' })).body.message).toBe('验证码错误或已过期');
    others.wechat.set('111', 'wx-1');
    const answer = await get('/api/oauth/wechat', { code: '111' });
    expect(await userOf(idOf(answer))).toMatchObject({ wechatId: 'wx-1', displayName: 'WeChat User' });
    const from = (site: string) =>
      stand.request('GET', '/api/oauth/wechat', { query: { code: '111' }, headers: { 'sec-fetch-site': site } });
    for (const site of ['cross-site', 'same-site']) {
      const foreign = await from(site);
      expect([foreign.status, foreign.body.code]).toEqual([403, 'foreign-origin']);
      expect(foreign.headers['set-cookie']).toBeUndefined();
    }
    others.wechat.set('111', 'wx-1');
    expect((await from('same-origin')).body.success).toBe(true);
    others.wechat.set('222', 'wx-2');
    const user = await addUser(stand, root);
    expect((await get('/api/oauth/wechat/bind', { code: '222' })).status).toBe(401);
    expect((await get('/api/oauth/wechat/bind', { code: '222' }, '', user)).body).toEqual({
      success: true,
      message: '',
    });
    expect((await get('/api/oauth/wechat/bind', { code: '111' }, '', user)).body.message).toBe('该微信账号已被绑定');
  });

  it('signs in by Telegram whoever has bound it, by a signature that counts once, and only if it led somewhere', async () => {
    // One clock for all: counted back from a moving one, two signatures can be of the same second, hence the same.
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
    const login = (query: Record<string, string>) => get('/api/oauth/telegram/login', query);
    expect((await login(fields('9'))).body.message).toBe('管理员未开启通过 Telegram 登录以及注册');
    await put('TelegramOAuthEnabled', 'true');
    const unknown = fields('9');
    expect((await login(unknown)).body.message).toBe('该 Telegram 账户未绑定');
    expect((await login({ ...fields('9'), id: '10' })).body.message).toBe('无效的请求');
    const user = await addUser(stand, root);
    const bind = (query: Record<string, string>, as: Account) => get('/api/oauth/telegram/bind', query, '', as);
    // What was refused has spent nothing.
    const bound = await bind(unknown, user);
    expect([bound.status, bound.headers.location]).toEqual([302, '/setting']);
    expect((await bind(unknown, root)).body.message).toBe('该 Telegram 账户已被绑定');
    // Bound and signed in from one place by one signature; nobody else signs in by it.
    const far = {
      'x-tollgate-forwarded': signForwarded(stand.host.secrets, { ...forwarded, address: '198.51.100.7' }),
    };
    const loginFar = (query: Record<string, string>) =>
      stand.request('GET', '/api/oauth/telegram/login', { query, headers: far });
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

  it('lets no administrator come in as an equal or a super administrator through a provider of their own', async () => {
    const [admin, equal] = [await addUser(stand, root, 10), await addUser(stand, root, 10)];
    const user = await addUser(stand, root);
    const people = { root, admin, equal, user };
    const idWith = async (code: string) => {
      const answer = await get('/api/oauth/wechat', { code });
      return answer.body.success ? idOf(answer) : String(answer.body.code);
    };
    const inAs = async () => {
      const entries = Object.keys(people).map(async (code) => [code, await idWith(code)] as const);
      return Object.fromEntries(await Promise.all(entries));
    };
    await put('WeChatAuthEnabled', 'true');
    for (const [code, person] of Object.entries(people)) {
      others.wechat.set(code, `wx-${code}`);
      await get('/api/oauth/wechat/bind', { code }, '', person);
    }
    const all = { root: root.id, admin: admin.id, equal: equal.id, user: user.id };
    expect(await inAs()).toEqual(all);
    const change = (key: string, value: string) =>
      stand.request('PUT', '/api/option/', { as: admin, body: { key, value } });
    await change('WeChatServerToken', SIGN_IN_CLIENT.secret);
    expect((await change('WeChatServerAddress', `${others.url}/`)).body.success).toBe(true);
    expect(await inAs()).toEqual({ ...all, root: 'provider-not-trusted', equal: 'provider-not-trusted' });
    await put('WeChatServerAddress', others.url);
    expect(await inAs()).toEqual(all);
    await stand.request('DELETE', '/api/user/self/binding/wechat', { as: root });
  });

  it('takes bindings off, but never the last way in', async () => {
    const { id } = await stand.em().findOneOrFail(User, { linuxDoId: '77' });
    const owner: Account = { id, username: 'neo', role: 1, group: 'default' };
    const unbind = async (name: BindingName, as: Account) =>
      (await stand.request('DELETE', `/api/user/self/binding/${name}`, { as })).body;
    expect(await unbind('linuxdo', owner)).toMatchObject({ success: false, code: 'last-sign-in-method' });
    const user = await stand.em().findOneOrFail(User, { oidcId: 'u-4' });
    const other: Account = { id: user.id, username: user.username, role: 1, group: 'default' };
    expect(await unbind('oidc', other)).toEqual({ success: true, message: '' });
    expect((await userOf(user.id)).oidcId).toBeNull();
    expect((await unbind('nothing' as BindingName, other)).message).toBe('无效的参数');
    const path = `/api/user/${id}/binding/linuxdo`;
    expect((await stand.request('DELETE', path, { as: other })).body.success).toBe(false);
    expect((await stand.request('DELETE', path, { as: root })).body).toEqual({ success: true, message: '' });
    expect((await userOf(id)).linuxDoId).toBeNull();
  });

  it('closes the password while a super administrator has another way in, and opens it again', async () => {
    others.github.set('root', { id: 1, login: 'root' });
    const { cookie, state } = await visit();
    await get('/api/oauth/github', { code: 'root', state }, cookie, root);
    await put('PasswordLoginEnabled', 'false');
    const body = { username: 'root', password: 'rootroot' };
    const login = async () => (await stand.request('POST', '/api/user/login', { body })).body;
    expect((await login()).message).toBe('管理员关闭了密码登录');
    expect((await stand.request('DELETE', '/api/user/self/binding/github', { as: root })).body.code).toBe(
      'last-sign-in-method',
    );
    await put('PasswordLoginEnabled', 'true');
    expect((await login()).success).toBe(true);
  });

  it('sees the password closed that another call is closing', async () => {
    const unbind = () => stand.request('DELETE', '/api/user/self/binding/github', { as: root });
    const answer = await callDuring(async (em) => {
      // As the change of an option does it.
      await em.execute(`select "value" from "revision" where "name" = 'option' for update`);
      await em.upsert(Option, { key: 'PasswordLoginEnabled', value: 'false', revision: 1, updatedBy: 1 });
    }, unbind);
    expect(answer.body.code).toBe('last-sign-in-method');
    await put('PasswordLoginEnabled', 'true');
    const close = { key: 'PasswordLoginEnabled', value: 'false' };
    const both = [unbind(), stand.request('PUT', '/api/option/', { as: root, body: close })];
    expect((await Promise.all(both)).filter(({ body }) => body.success)).toHaveLength(1);
    await put('PasswordLoginEnabled', 'true');
  });

  it('believes the bot check that its service believes, and says when that is away', async () => {
    await put('TurnstileSiteKey', 'site');
    await put('TurnstileSecretKey', SIGN_IN_CLIENT.secret);
    await put('TurnstileCheckEnabled', 'true');
    others.turnstile.add('proof');
    const login = async (turnstile: string) =>
      (
        await stand.request('POST', '/api/user/login', {
          query: { turnstile },
          body: { username: 'root', password: 'rootroot' },
        })
      ).body;
    expect((await login('')).message).toBe('Turnstile token 为空');
    expect((await login('made up')).message).toBe('Turnstile 校验失败，请刷新重试！');
    expect((await login('proof')).success).toBe(true);
    expect((await login('proof')).message).toBe('Turnstile 校验失败，请刷新重试！');
    stand.own(Turnstile).address = 'http://localhost:9';
    expect((await login('proof')).code).toBe('turnstile-unavailable');
    // Who has a session goes on.
    expect((await stand.request('GET', '/api/user/self', { as: root })).body.success).toBe(true);
    await put('TurnstileCheckEnabled', 'false');
  });
});
