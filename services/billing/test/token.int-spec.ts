import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { nameTokens, openAccount, pollBilling, resolveTokens, userRegistered } from '@tollgate/contracts';
import { EventLog, toEnvelope } from '@tollgate/chassis';
import { hasPostgres, type TestCaller } from '@tollgate/testing';
import { describeTokenAudit } from './token-audit.js';
import { describeBillingViews } from './token-billing-views.js';
import { describeTokenStates } from './token-states.js';
import { TokenWorld } from './token-world.js';

const suite = hasPostgres() ? describe : describe.skip;

suite('tokens', () => {
  const world = new TokenWorld();
  beforeAll(() => world.open());
  afterAll(() => world.close());

  describe('with GENERATE_DEFAULT_TOKEN', () => {
    const arrive = async (kind: 'setup' | 'register' | 'admin' | 'oauth', username: string): Promise<TestCaller> => {
      const as = world.newCaller();
      world.testBed.neighbours.users.set(as.id, { username });
      await Promise.all([1, 2, 3].map(() => world.testBed.call(openAccount, { userId: as.id, kind, inviterId: 0 })));
      return as;
    };

    it('gives a registered user one unlimited token, however often the account is opened', async () => {
      const as = await arrive('register', 'zoe');
      const event = toEnvelope(userRegistered, 'identity', { userId: as.id, inviterId: 0, kind: 'register' });
      await world.testBed
        .get(EventLog)
        .append(userRegistered.name, [{ key: event.subject, value: JSON.stringify(event) }]);
      await world.testBed.call(openAccount, { userId: as.id, kind: 'register', inviterId: 0 });
      expect(await world.list(as)).toEqual([
        expect.objectContaining({
          ...{ name: 'zoe的初始令牌', key: expect.stringMatching(/^[A-Za-z0-9]{48}$/), status: 1, expired_time: -1 },
          ...{ remain_quota: 500_000, unlimited_quota: true, model_limits_enabled: false, group: '' },
        }),
      ]);
    });

    it('cuts a long name to what the name of a key may have', async () => {
      const as = await arrive('register', '很长的用户名称');
      const [token] = await world.list(as);
      expect(token?.name).toBe('很长的用户的初始令牌');
      expect((await world.put(as, { ...token })).body).toMatchObject({ success: true });
    });

    it('gives none to users whom others created', async () => {
      for (const kind of ['setup', 'admin', 'oauth'] as const)
        expect(await world.list(await arrive(kind, kind))).toEqual([]);
    });
  });

  it('lists a key that was sealed with a secret key which is not set here, without showing it', async () => {
    const as = world.newCaller();
    const { id } = await world.create(as, { name: 'closed' });
    await world.testBed.sql(`update "token" set "key_sealed" = 'v1.of.another.key' where "id" = ?`, [id]);
    await world.create(as, { name: 'open' });
    const shown = [
      ['open', expect.stringMatching(/^[A-Za-z0-9]{48}$/)],
      ['closed', ''],
    ];
    expect((await world.list(as)).map(({ name, key }) => [name, key])).toEqual(shown);
    expect((await world.search(as, { keyword: '', token: '' })).map(({ name, key }) => [name, key])).toEqual(shown);
  });

  it('creates a key that its owner reads in the list, and that cannot be found in the database', async () => {
    const as = world.newCaller();
    const reply = await world.post(as, {
      name: 'first',
      expired_time: -1,
      remain_quota: 500_000,
      unlimited_quota: true,
      group: 'default',
    });
    expect(reply.body).toEqual({ success: true, message: '' });
    const [token] = await world.list(as);
    expect(token).toEqual({
      id: token?.id,
      user_id: as.id,
      key: expect.stringMatching(/^[A-Za-z0-9]{48}$/),
      status: 1,
      name: 'first',
      created_time: expect.any(Number),
      accessed_time: 0,
      expired_time: -1,
      remain_quota: 500_000,
      used_quota: 0,
      unlimited_quota: true,
      model_limits_enabled: false,
      model_limits: '',
      allow_ips: '',
      group: 'default',
      DeletedAt: null,
    });
    const [row] = await world.testBed.sql(`select * from "token" where "user_id" = ?`, [as.id]);
    expect(JSON.stringify(row)).not.toContain(token?.key);
    expect(JSON.stringify(await world.testBed.outbox('token-changed'))).not.toContain(token?.key);
  });

  it.each([
    ['no name', { name: '' }, '令牌名称不能为空'],
    ['a blank name', { name: '   ' }, '令牌名称不能为空'],
    ['a name of 31 bytes', { name: 'n'.repeat(31) }, '令牌名称过长'],
    ['a name of eleven Chinese characters', { name: '令'.repeat(11) }, '令牌名称过长'],
    ['an expiry that is no time', { expired_time: 'tomorrow' }, '过期时间格式错误！'],
    ['an expiry of 0', { expired_time: 0 }, '过期时间格式错误！'],
    ['an expiry in milliseconds', { expired_time: 4_102_444_800_000 }, '过期时间格式错误！'],
    ['a negative quota', { remain_quota: -1 }, '额度值不能为负数'],
    ['a quota beyond the safe integers', { remain_quota: 2 ** 60 }, '无效的参数'],
    ['more than a budget may hold', { remain_quota: 1e15 + 1 }, '额度超出可以保存的范围，最多为 1000000000000000'],
    ['half a unit', { remain_quota: 0.5 }, '无效的参数'],
    ['a group the user may not use', { group: 'svip' }, '令牌分组 svip 已被禁用'],
    ['a group without a ratio', { group: 'vip' }, '分组 vip 已被弃用'],
    ['an address that is none', { allow_ips: '10.0.0.1\nlocalhost' }, 'IP 白名单格式错误：localhost'],
    ['a short form of an address', { allow_ips: '10.1' }, 'IP 白名单格式错误：10.1'],
    ['a range that is too narrow', { allow_ips: '10.0.0.0/33' }, 'IP 白名单格式错误：10.0.0.0/33'],
    ['a flag that is no flag', { unlimited_quota: 'yes' }, '无效的参数'],
  ])('refuses %s', async (_, fields, message) => {
    const as = world.newCaller();
    const reply = await world.post(as, { name: 'n', ...fields });
    const [path] = Object.keys(fields);
    expect(reply).toMatchObject({ status: 200, body: { success: false, message } });
    if (path !== 'remain_quota') expect(reply.body).toMatchObject({ fields: [{ path }] });
    expect(await world.list(as)).toEqual([]);
  });

  it('is not overwritten by a form opened before another change, where calls meanwhile are no change', async () => {
    const as = world.newCaller();
    const token = await world.create(as);
    const seen = { name: token.name, allow_ips: token.allow_ips, remain_quota: 1000, used_quota: 0 };
    await world.spend(as.id, token.id, 40);
    const { id } = token;
    expect((await world.put(as, { id, remain_quota: 2000, expected: seen })).body).toMatchObject({
      data: { remain_quota: 2000, used_quota: 40 },
    });
    const late = await world.put(as, { id, name: 'mine', remain_quota: 5, expected: seen });
    expect(late.body).toMatchObject({ success: false, code: 'token-changed-meanwhile', kind: 'conflict' });
    expect(late.body).toMatchObject({ fields: [{ path: 'remain_quota' }] });
    expect((await world.put(as, { id, name: 'mine', expected: { name: token.name } })).body).toMatchObject({
      success: true,
    });
    expect((await world.put(as, { id, name: 'later', expected: { name: token.name } })).body).toMatchObject({
      ...{ success: false, message: '该令牌已被修改，请刷新后重试', fields: [{ path: 'name' }] },
    });
    expect((await world.put(as, { id, name: 'unasked' })).body).toMatchObject({ success: true });
  });

  it('accepts addresses and ranges of both kinds, and a name of exactly 30 bytes', async () => {
    const as = world.newCaller();
    const token = await world.create(as, {
      name: '令'.repeat(10),
      allow_ips: '10.0.0.1, 10.1.0.0/16\n\n2001:db8::/32\n::1',
      model_limits: ' gpt-4o ,gpt-4o, o1,',
    });
    expect(token).toMatchObject({ allow_ips: '10.0.0.1\n10.1.0.0/16\n2001:db8::/32\n::1', model_limits: 'gpt-4o,o1' });
    const { tokens } = await world.testBed.call(resolveTokens, { ids: [token.id] });
    expect(tokens).toMatchObject([
      { allowIps: ['10.0.0.1', '10.1.0.0/16', '2001:db8::/32', '::1'], modelLimits: ['gpt-4o', 'o1'] },
    ]);
  });

  it('pages newest first from page 0, ten at a time, at most a hundred, with the total', async () => {
    const as = world.newCaller();
    for (let index = 0; index < 12; index += 1) await world.post(as, { name: `t${index}` });
    expect((await world.list(as)).map(({ name }) => name)).toEqual([
      't11',
      't10',
      't9',
      't8',
      't7',
      't6',
      't5',
      't4',
      't3',
      't2',
    ]);
    expect((await world.list(as, { p: 1 })).map(({ name }) => name)).toEqual(['t1', 't0']);
    expect(await world.list(as, { p: 2, size: 5 })).toHaveLength(2);
    expect(await world.list(as, { p: -1, size: 1000 })).toHaveLength(12);
    const reply = await world.testBed.harness.request('GET', '/api/token', { as, query: { p: 0, size: 1 } });
    expect(reply.headers['x-total-count']).toBe('12');
  });

  it('searches by name and by key, literally', async () => {
    const as = world.newCaller();
    const plain = await world.create(as, { name: 'alpha' });
    const odd = await world.create(as, { name: '100%_a\\b' });
    expect((await world.search(as, { keyword: 'ALPH' })).map(({ id }) => id)).toEqual([plain.id]);
    expect((await world.search(as, { keyword: '%' })).map(({ id }) => id)).toEqual([odd.id]);
    expect((await world.search(as, { keyword: '_a\\b' })).map(({ id }) => id)).toEqual([odd.id]);
    expect(await world.search(as, { keyword: '_lpha' })).toEqual([]);
    expect((await world.search(as, { token: `sk-${plain.key}` })).map(({ id }) => id)).toEqual([plain.id]);
    expect((await world.search(as, { token: plain.key.slice(10, 30) })).map(({ id }) => id)).toEqual([plain.id]);
    expect(await world.search(as, { keyword: 'alpha', token: odd.key })).toEqual([]);
    expect(await world.search(as, {})).toHaveLength(2);
    expect(await world.search(as, { p: '1', size: '1' })).toMatchObject([{ id: plain.id }]);
  });

  it('shows tokens to their owner only', async () => {
    const [owner, other] = [world.newCaller(), { ...world.newCaller(), role: 100 as const }];
    const { id } = await world.create(owner);
    const replies = [
      await world.testBed.harness.request('GET', `/api/token/${id}`, { as: other }),
      await world.put(other, { id, name: 'stolen' }),
      await world.put(other, { id, status: 2 }, { status_only: 'true' }),
      await world.testBed.harness.request('DELETE', `/api/token/${id}/`, { as: other }),
    ];
    for (const reply of replies)
      expect(reply).toMatchObject({ status: 200, body: { success: false, code: 'token-not-found' } });
    expect(await world.list(owner)).toMatchObject([{ id, name: '我的API', status: 1 }]);
    expect((await world.testBed.harness.request('GET', `/api/token/${id}`)).status).toBe(401);
    expect((await world.testBed.harness.request('GET', '/api/token/0', { as: owner })).body).toMatchObject({
      success: false,
      message: 'id 或 userId 为空！',
    });
  });

  it('changes only what the body contains, and the status only in a call for it alone', async () => {
    const as = world.newCaller();
    const token = await world.create(as, { model_limits_enabled: true, model_limits: 'gpt-4o' });
    const renamed = await world.put(as, { id: token.id, name: 'renamed', status: 2 });
    expect(renamed.body).toMatchObject({ success: true, data: { ...token, name: 'renamed', status: 1 } });
    const disabled = await world.put(as, { id: token.id, status: 2, name: 'ignored' }, { status_only: 'true' });
    expect(disabled.body).toMatchObject({ success: true, data: { name: 'renamed', status: 2, key: token.key } });
    expect((await world.put(as, { id: token.id, status: 3 }, { status_only: 'true' })).body).toMatchObject({
      success: false,
      message: '无效的参数',
    });
    expect((await world.put(as, { name: 'no id' })).body).toMatchObject({
      success: false,
      message: 'id 或 userId 为空！',
    });
  });

  describe('of a group that is no longer offered', () => {
    const offer = (groups: object): void =>
      world.testBed.setOptions({ UserUsableGroups: JSON.stringify({ default: 'd', ...groups }) });
    afterAll(() => offer({ vip: 'v' }));

    it('keep it in other changes, while no token may change to it', async () => {
      offer({ svip: 's' });
      const as = world.newCaller();
      const other = await world.create(as);
      const token = await world.create(as, { group: 'svip' });
      offer({});
      expect((await world.put(as, { ...token, name: 'renamed' })).body).toMatchObject({
        ...{ success: true, data: { name: 'renamed', group: 'svip' } },
      });
      for (const change of [
        { ...other, group: 'svip' },
        { ...token, group: 'vip' },
      ])
        expect((await world.put(as, change)).body).toMatchObject({
          ...{ success: false, message: `令牌分组 ${change.group} 已被禁用` },
        });
    });
  });

  describeTokenStates(world);

  it('reports every change to replicas by revision, and a deleted token by its absence', async () => {
    const as = world.newCaller();
    const start = await world.testBed.call(pollBilling, { tokensSince: Number.MAX_SAFE_INTEGER });
    expect(start).toMatchObject({ changedTokenIds: [], complete: true });
    const token = await world.create(as, { name: 'short-lived' });
    const { tokens } = await world.testBed.call(resolveTokens, { ids: [token.id] });
    const keyHash = tokens[0]?.keyHash ?? '';
    expect(await world.testBed.call(resolveTokens, { keyHashes: [keyHash, 'unknown'] })).toMatchObject({
      tokens: [{ id: token.id, userId: as.id, status: 1 }],
    });
    expect(tokens[0]?.keyHint).toBe(`${token.key.slice(0, 3)}***${token.key.slice(-3)}`);
    const afterCreate = await world.testBed.call(pollBilling, { tokensSince: start.tokenRevision });
    expect(afterCreate).toMatchObject({
      changedTokenIds: [token.id],
      complete: true,
      tokenRevision: start.tokenRevision + 1,
    });
    const deleted = await world.testBed.harness.request('DELETE', `/api/token/${token.id}/`, { as });
    expect(deleted.body).toEqual({ success: true, message: '' });
    expect(await world.testBed.call(pollBilling, { tokensSince: afterCreate.tokenRevision })).toMatchObject({
      changedTokenIds: [token.id],
    });
    expect(await world.testBed.call(resolveTokens, { keyHashes: [keyHash], ids: [token.id] })).toEqual({ tokens: [] });
    expect(await world.testBed.call(nameTokens, { ids: [token.id, 1_000_000] })).toEqual({
      names: { [token.id]: 'short-lived' },
    });
    expect(await world.list(as)).toEqual([]);
    expect(await world.testBed.harness.request('DELETE', `/api/token/${token.id}`, { as })).toMatchObject({
      body: { success: false },
    });
    const events = (await world.testBed.outbox<{ tokenId: number; revision: number }>('token-changed')).filter(
      (event) => event.tokenId === token.id,
    );
    expect(events.map(({ revision }) => revision)).toEqual([start.tokenRevision + 1, start.tokenRevision + 2]);
  });

  it('never gives two changes one revision', async () => {
    const as = world.newCaller();
    await Promise.all(Array.from({ length: 10 }, (_, index) => world.post(as, { name: `p${index}` })));
    const rows = await world.testBed.sql<{ revision: string }>(`select "revision" from "token" where "user_id" = ?`, [
      as.id,
    ]);
    expect(new Set(rows.map(({ revision }) => revision)).size).toBe(10);
  });

  describeTokenAudit(world);

  describeBillingViews(world);
});
