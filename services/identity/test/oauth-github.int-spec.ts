import type { EntityManager } from '@mikro-orm/postgresql';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, hasPostgres, isWaitedFor } from '@tollgate/testing';
import { Option } from '../src/option/option.entity.js';
import { User } from '../src/user/user.entity.js';
import { cookieOf, idOf, OAuthWorld } from './oauth-world.js';
import { type Account, addUser, type Answer } from './test-bed.js';

(hasPostgres() ? describe : describe.skip)('sign-in by GitHub', () => {
  const world = new OAuthWorld();
  beforeAll(() => world.open(), 60_000);
  afterAll(() => world.close());

  /**
   * Makes a call while another transaction is open, outside that transaction's context. The transaction commits once
   * the call waits for its lock.
   */
  const callDuring = async (work: (em: EntityManager) => Promise<unknown>, call: () => Promise<Answer>) => {
    const working = Promise.withResolvers<void>();
    const other = world.testBed.em().transactional(async (em) => {
      await work(em);
      working.resolve();
      await eventually('the call waits', () => isWaitedFor((sql) => em.execute<object[]>(sql)));
    });
    await working.promise;
    const answer = call();
    await other;
    return answer;
  };
  const come = async (code: string, as?: Account) => {
    const { cookie, state } = await world.visit('code');
    return world.get('/api/oauth/github', { code, state }, cookie, as);
  };

  it('reports that the method is disabled, and uses up the state', async () => {
    const { cookie, state } = await world.visit();
    const off = await world.get('/api/oauth/github', { code: 'x', state }, cookie);
    expect([off.status, off.body.message]).toEqual([200, '管理员未开启通过 GitHub 登录以及注册']);
    const again = await world.get('/api/oauth/github', { code: 'x', state }, cookie);
    expect([again.status, again.body.message]).toEqual([403, 'state is empty or not same']);
    await world.put('GitHubOAuthEnabled', 'true');
  });

  it('accepts a state only from the browser that it was issued to', async () => {
    const [one, other] = [await world.visit(), await world.visit()];
    for (const [state, cookie] of [
      [one.state, other.cookie],
      [one.state, ''],
      ['', one.cookie],
      ['made up', one.cookie],
    ] as const)
      expect((await world.get('/api/oauth/github', { code: 'x', state }, cookie)).status).toBe(403);
  });

  it('registers a new user with inviter and verified address, and signs the same user in the next time', async () => {
    world.testBed.billing.codes.set('code', world.root.id);
    const emails = [{ email: 'Octo@example.com', primary: true, verified: true }];
    world.others.github.set('one', { id: 583_231, login: 'octocat', name: 'The Octocat', emails });
    const first = await come('one');
    expect(first.body).toMatchObject({ success: true, message: '', data: { display_name: 'The Octocat', role: 1 } });
    const user = await world.userOf(idOf(first));
    expect(user).toMatchObject({
      githubId: '583231',
      email: 'octo@example.com',
      passwordHash: '',
      inviterId: world.root.id,
    });
    expect(user.username).toBe(`github_${user.id}`);
    const own = (as: Account) => world.get('/api/user/self', {}, '', as).then(({ body }) => body.data);
    expect(await own({ id: user.id, username: user.username, role: 1, group: 'default' })).toMatchObject({
      original_needed: false,
    });
    expect(await own(world.root)).toMatchObject({ original_needed: true });
    // A person who finds an open browser or an access token must not be able to add a way to sign in.
    const self: Account = { id: user.id, username: user.username, role: 1, group: 'default' };
    const adding = (cookie: string) =>
      world.testBed.request('PUT', '/api/user/self', {
        as: self,
        headers: { cookie },
        body: { password: 'my first one' },
      });
    expect((await adding('')).body.code).toBe('sign-in-again');
    expect((await adding(cookieOf(first))).body.success).toBe(true);
    expect(world.testBed.billing.opened).toContainEqual({ userId: user.id, kind: 'oauth', inviterId: world.root.id });

    // An account with a new login is the same person; an account that took over the old login is not.
    world.others.github.set('two', { id: 583_231, login: 'renamed' });
    expect(idOf(await come('two'))).toBe(user.id);
    world.others.github.set('three', { id: 999, login: 'octocat' });
    expect(idOf(await come('three'))).not.toBe(user.id);
  });

  it('does not copy an address that is unverified or belongs to another user', async () => {
    const emails = [{ email: 'root@example.com', primary: true, verified: false }];
    world.others.github.set('unverified', { id: 1001, login: 'a', emails });
    expect((await world.userOf(idOf(await come('unverified')))).email).toBe('');
    world.others.github.set('taken', {
      id: 1002,
      login: 'b',
      emails: [{ email: 'octo@example.com', primary: true, verified: true }],
    });
    expect((await world.userOf(idOf(await come('taken')))).email).toBe('');
  });

  it('does not copy an address that the operator excludes', async () => {
    const person = (code: string, id: number, email: string) =>
      world.others.github.set(code, { id, login: code, emails: [{ email, primary: true, verified: true }] });
    await world.put('EmailDomainWhitelist', 'example.com');
    await world.put('EmailDomainRestrictionEnabled', 'true');
    await world.put('EmailAliasRestrictionEnabled', 'true');
    for (const [code, id, email, kept] of [
      ['outside', 1011, 'one@elsewhere.example', ''],
      ['alias', 1012, 'one+two@example.com', ''],
      ['inside', 1013, 'inside@example.com', 'inside@example.com'],
    ] as const) {
      person(code, id, email);
      expect((await world.userOf(idOf(await come(code)))).email).toBe(kept);
    }
    await world.put('EmailDomainRestrictionEnabled', 'false');
    await world.put('EmailAliasRestrictionEnabled', 'false');
  });

  it('signs in while only the addresses cannot be read, without one', async () => {
    const emails = [{ email: 'unread@example.com', primary: true, verified: true }];
    for (const code of ['unread', 'unread again']) world.others.github.set(code, { id: 1031, login: 'unread', emails });
    world.others.silent.add('/user/emails');
    const id = idOf(await come('unread'));
    expect(idOf(await come('unread again'))).toBe(id);
    world.others.silent.clear();
    expect((await world.userOf(id)).email).toBe('');
  });

  it('signs in without the address when another user takes it at the same time', async () => {
    const emails = [{ email: 'race@example.com', primary: true, verified: true }];
    world.others.github.set('race', { id: 1021, login: 'race', emails });
    const { id } = await addUser(world.testBed, world.root);
    const answer = await callDuring(
      (em) => em.nativeUpdate(User, { id }, { email: 'race@example.com' }),
      () => come('race'),
    );
    const user = await world.userOf(idOf(answer));
    expect(user).toMatchObject({ githubId: '1021', email: '' });
    expect(user.username).toMatch(/^github_\d+$/);
  });

  it('refuses a wrong code, a missing code, and an error from the provider', async () => {
    expect((await come('nonsense')).body.message).toBe('返回值非法，用户字段为空，请稍后重试！');
    expect((await come('')).body.message).toBe('无效的参数');
    const { cookie, state } = await world.visit();
    const denied = await world.get(
      '/api/oauth/github',
      { error: 'access_denied', error_description: 'No.', state },
      cookie,
    );
    expect(denied.body).toMatchObject({ success: false, message: 'No.' });
  });

  it('binds the account to the signed-in user, unless another user has it', async () => {
    const user = await addUser(world.testBed, world.root);
    world.others.github.set('mine', { id: 2001, login: 'mine' });
    expect((await come('mine', user)).body).toEqual({ success: true, message: 'bind' });
    expect((await world.userOf(user.id)).githubId).toBe('2001');
    world.others.github.set('again', { id: 2001, login: 'mine' });
    expect((await come('again', user)).body.success).toBe(true);
    world.others.github.set('theirs', { id: 2001, login: 'mine' });
    expect((await come('theirs', await addUser(world.testBed, world.root))).body.message).toBe(
      '该 GitHub 账户已被绑定',
    );
  });

  it('registers nobody in a browser whose session lacks the required second factor, but signs an owner in', async () => {
    for (const code of ['bare', 'bare again']) world.others.github.set(code, { id: 2101, login: 'bare' });
    const cookie = cookieOf(await come('bare'));
    const rootHas = (passkeyCount: number) =>
      world.testBed.em().nativeUpdate(User, { id: world.root.id }, { passkeyCount });
    await rootHas(1);
    await world.put('SecondFactorRequiredFor', 'everybody');
    try {
      world.others.github.set('meant to bind', { id: 2102, login: 'bound' });
      const comeBack = async (code: string) => {
        const state = String((await world.get('/api/oauth/state', {}, cookie)).body.data);
        return world.get('/api/oauth/github', { code, state }, cookie);
      };
      expect((await comeBack('meant to bind')).body).toMatchObject({ success: false, code: 'second-factor-required' });
      expect(await world.testBed.em().count(User, { githubId: '2102' })).toBe(0);
      expect((await comeBack('bare again')).body.success).toBe(true);
    } finally {
      await world.put('SecondFactorRequiredFor', 'nobody');
      await rootHas(0);
    }
  });

  it('refuses banned and deleted users, and registers nobody while registration is disabled', async () => {
    world.others.github.set('ban', { id: 2001, login: 'mine' });
    const { id } = await world.testBed.em().findOneOrFail(User, { githubId: '2001' });
    await world.testBed.request('POST', '/api/user/manage', { as: world.root, body: { id, action: 'disable' } });
    expect((await come('ban')).body.message).toBe('用户已被封禁');
    await world.testBed.request('POST', '/api/user/manage', { as: world.root, body: { id, action: 'delete' } });
    world.others.github.set('gone', { id: 2001, login: 'mine' });
    expect((await come('gone')).body.message).toBe('用户已注销');
    world.others.github.set('late', { id: 3001, login: 'late' });
    await world.put('RegisterEnabled', 'false');
    expect((await come('late')).body.message).toBe('管理员关闭了新用户注册');
    await world.put('RegisterEnabled', 'true');
  });

  it('registers nobody in the open session of a banned user', async () => {
    world.others.github.set('before the ban', { id: 2201, login: 'mine' });
    world.others.github.set('another account', { id: 2202, login: 'another' });
    const before = await come('before the ban');
    const body = { id: idOf(before), action: 'disable' };
    await world.testBed.request('POST', '/api/user/manage', { as: world.root, body });
    const cookie = cookieOf(before);
    const state = String((await world.get('/api/oauth/state', {}, cookie)).body.data);
    const after = await world.get('/api/oauth/github', { code: 'another account', state }, cookie);
    expect(after.body).toMatchObject({ success: false, message: '用户已被封禁', code: 'user-banned' });
    expect(await world.testBed.em().count(User, { githubId: '2202' })).toBe(0);
  });

  it('creates one user for two simultaneous callbacks', async () => {
    for (const code of ['left', 'right']) world.others.github.set(code, { id: 4001, login: 'twice' });
    const answers = await Promise.all([come('left'), come('right')]);
    expect(new Set(answers.map(idOf)).size).toBe(1);
  });

  it('allows password login to be disabled while a super administrator has another sign-in method, and to be enabled again', async () => {
    world.others.github.set('root', { id: 1, login: 'root' });
    const { cookie, state } = await world.visit();
    await world.get('/api/oauth/github', { code: 'root', state }, cookie, world.root);
    await world.put('PasswordLoginEnabled', 'false');
    const body = { username: 'root', password: 'rootroot' };
    const login = async () => (await world.testBed.request('POST', '/api/user/login', { body })).body;
    expect((await login()).message).toBe('管理员关闭了密码登录');
    expect((await world.testBed.request('DELETE', '/api/user/self/binding/github', { as: world.root })).body.code).toBe(
      'own-last-sign-in-method',
    );
    await world.put('PasswordLoginEnabled', 'true');
    expect((await login()).success).toBe(true);
  });

  it('refuses to unbind the last sign-in method while another call disables password login', async () => {
    const unbind = () => world.testBed.request('DELETE', '/api/user/self/binding/github', { as: world.root });
    const answer = await callDuring(async (em) => {
      // Locks like a change of an option.
      await em.execute(`select "value" from "revision" where "name" = 'option' for update`);
      await em.upsert(Option, { key: 'PasswordLoginEnabled', value: 'false', revision: 1, updatedBy: 1 });
    }, unbind);
    expect(answer.body.code).toBe('own-last-sign-in-method');
    await world.put('PasswordLoginEnabled', 'true');
    const close = { key: 'PasswordLoginEnabled', value: 'false' };
    const both = [unbind(), world.testBed.request('PUT', '/api/option/', { as: world.root, body: close })];
    expect((await Promise.all(both)).filter(({ body }) => body.success)).toHaveLength(1);
    await world.put('PasswordLoginEnabled', 'true');
  });
});
