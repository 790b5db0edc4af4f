import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { nameTokens, openAccount, pollBilling, resolveTokens, userRegistered } from '@tollgate/contracts';
import { EventLog, toEnvelope } from '@tollgate/chassis';
import type { Token } from '@tollgate/contracts/api/token';
import type { TestCaller } from '@tollgate/testing';
import { hasPostgres } from '@tollgate/testing';
import { BookingService } from '../src/booking/booking.service.js';
import { type BillingTestBed, consumed, startBilling } from './test-bed.js';

const suite = hasPostgres() ? describe : describe.skip;
const EXPIRED = '令牌已过期，无法启用，请先修改令牌过期时间，或者设置为永不过期';
const EXHAUSTED = '令牌可用额度已用尽，无法启用，请先修改令牌剩余额度，或者设置为无限额度';

suite('tokens', () => {
  let testBed: BillingTestBed;
  let nextUser = 500;
  beforeAll(async () => {
    testBed = await startBilling({ GroupRatio: '{"default":1,"svip":1}' }, { GENERATE_DEFAULT_TOKEN: 'true' });
  });
  afterAll(() => testBed.close());

  const newCaller = (): TestCaller => ({ id: (nextUser += 1) });
  const post = (as: TestCaller, body: unknown) => testBed.harness.request('POST', '/api/token/', { as, body });
  const put = (as: TestCaller, body: unknown, query = {}) =>
    testBed.harness.request<Token>('PUT', '/api/token/', { as, body, query });
  const list = async (as: TestCaller, query = {}): Promise<Token[]> => {
    const { body } = await testBed.harness.request<Token[]>('GET', '/api/token/', { as, query });
    return body.success ? (body.data ?? []) : [];
  };
  const search = async (as: TestCaller, query: Record<string, string>): Promise<Token[]> => {
    const { body } = await testBed.harness.request<Token[]>('GET', '/api/token/search', { as, query });
    return body.success ? (body.data ?? []) : [];
  };
  const create = async (as: TestCaller, body: object = {}): Promise<Token> => {
    const reply = await post(as, { name: '我的API', remain_quota: 1000, ...body });
    if (!reply.body.success) throw new Error(reply.body.message);
    const [token] = await list(as, { size: 1 });
    if (!token) throw new Error('no token');
    return token;
  };
  const spend = (userId: number, tokenId: number, quota: number) =>
    testBed.inContext(() => testBed.get(BookingService).book([consumed({ userId, tokenId, quota })]));

  describe('with GENERATE_DEFAULT_TOKEN', () => {
    const arrive = async (kind: 'setup' | 'register' | 'admin' | 'oauth', username: string): Promise<TestCaller> => {
      const as = newCaller();
      testBed.neighbours.users.set(as.id, { username });
      await Promise.all([1, 2, 3].map(() => testBed.call(openAccount, { userId: as.id, kind, inviterId: 0 })));
      return as;
    };

    it('gives a registered user one unlimited token, however often the account is opened', async () => {
      const as = await arrive('register', 'zoe');
      const event = toEnvelope(userRegistered, 'identity', { userId: as.id, inviterId: 0, kind: 'register' });
      await testBed.get(EventLog).append(userRegistered.name, [{ key: event.subject, value: JSON.stringify(event) }]);
      await testBed.call(openAccount, { userId: as.id, kind: 'register', inviterId: 0 });
      expect(await list(as)).toEqual([
        expect.objectContaining({
          ...{ name: 'zoe的初始令牌', key: expect.stringMatching(/^[A-Za-z0-9]{48}$/), status: 1, expired_time: -1 },
          ...{ remain_quota: 500_000, unlimited_quota: true, model_limits_enabled: false, group: '' },
        }),
      ]);
    });

    it('cuts a long name to what the name of a key may have', async () => {
      const as = await arrive('register', '很长的用户名称');
      const [token] = await list(as);
      expect(token?.name).toBe('很长的用户的初始令牌');
      expect((await put(as, { ...token })).body).toMatchObject({ success: true });
    });

    it('gives none to users whom others created', async () => {
      for (const kind of ['setup', 'admin', 'oauth'] as const) expect(await list(await arrive(kind, kind))).toEqual([]);
    });
  });

  it('lists a key that was sealed with a secret key which is not set here, without showing it', async () => {
    const as = newCaller();
    const { id } = await create(as, { name: 'closed' });
    await testBed.sql(`update "token" set "key_sealed" = 'v1.of.another.key' where "id" = ?`, [id]);
    await create(as, { name: 'open' });
    const shown = [
      ['open', expect.stringMatching(/^[A-Za-z0-9]{48}$/)],
      ['closed', ''],
    ];
    expect((await list(as)).map(({ name, key }) => [name, key])).toEqual(shown);
    expect((await search(as, { keyword: '', token: '' })).map(({ name, key }) => [name, key])).toEqual(shown);
  });

  it('creates a key that its owner reads in the list, and that cannot be found in the database', async () => {
    const as = newCaller();
    const reply = await post(as, {
      name: 'first',
      expired_time: -1,
      remain_quota: 500_000,
      unlimited_quota: true,
      group: 'default',
    });
    expect(reply.body).toEqual({ success: true, message: '' });
    const [token] = await list(as);
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
    const [row] = await testBed.sql(`select * from "token" where "user_id" = ?`, [as.id]);
    expect(JSON.stringify(row)).not.toContain(token?.key);
    expect(JSON.stringify(await testBed.outbox('token-changed'))).not.toContain(token?.key);
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
    const as = newCaller();
    const reply = await post(as, { name: 'n', ...fields });
    expect(reply).toMatchObject({ status: 200, body: { success: false, message } });
    expect(await list(as)).toEqual([]);
  });

  it('is not overwritten by a form opened before another change, where calls meanwhile are no change', async () => {
    const as = newCaller();
    const token = await create(as);
    const seen = { name: token.name, allow_ips: token.allow_ips, remain_quota: 1000, used_quota: 0 };
    await spend(as.id, token.id, 40);
    const { id } = token;
    expect((await put(as, { id, remain_quota: 2000, expected: seen })).body).toMatchObject({
      data: { remain_quota: 2000, used_quota: 40 },
    });
    const late = await put(as, { id, name: 'mine', remain_quota: 5, expected: seen });
    expect(late.body).toMatchObject({ success: false, code: 'token-changed-meanwhile', kind: 'conflict' });
    expect(late.body).toMatchObject({ fields: [{ path: 'remain_quota' }] });
    expect((await put(as, { id, name: 'mine', expected: { name: token.name } })).body).toMatchObject({ success: true });
    expect((await put(as, { id, name: 'later', expected: { name: token.name } })).body).toMatchObject({
      ...{ success: false, message: '该令牌已被修改，请刷新后重试', fields: [{ path: 'name' }] },
    });
    expect((await put(as, { id, name: 'unasked' })).body).toMatchObject({ success: true });
  });

  it('accepts addresses and ranges of both kinds, and a name of exactly 30 bytes', async () => {
    const as = newCaller();
    const token = await create(as, {
      name: '令'.repeat(10),
      allow_ips: '10.0.0.1, 10.1.0.0/16\n\n2001:db8::/32\n::1',
      model_limits: ' gpt-4o ,gpt-4o, o1,',
    });
    expect(token).toMatchObject({ allow_ips: '10.0.0.1\n10.1.0.0/16\n2001:db8::/32\n::1', model_limits: 'gpt-4o,o1' });
    const { tokens } = await testBed.call(resolveTokens, { ids: [token.id] });
    expect(tokens).toMatchObject([
      { allowIps: ['10.0.0.1', '10.1.0.0/16', '2001:db8::/32', '::1'], modelLimits: ['gpt-4o', 'o1'] },
    ]);
  });

  it('pages newest first from page 0, ten at a time, at most a hundred, with the total', async () => {
    const as = newCaller();
    for (let index = 0; index < 12; index += 1) await post(as, { name: `t${index}` });
    expect((await list(as)).map(({ name }) => name)).toEqual([
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
    expect((await list(as, { p: 1 })).map(({ name }) => name)).toEqual(['t1', 't0']);
    expect(await list(as, { p: 2, size: 5 })).toHaveLength(2);
    expect(await list(as, { p: -1, size: 1000 })).toHaveLength(12);
    const reply = await testBed.harness.request('GET', '/api/token', { as, query: { p: 0, size: 1 } });
    expect(reply.headers['x-total-count']).toBe('12');
  });

  it('searches by name and by key, literally', async () => {
    const as = newCaller();
    const plain = await create(as, { name: 'alpha' });
    const odd = await create(as, { name: '100%_a\\b' });
    expect((await search(as, { keyword: 'ALPH' })).map(({ id }) => id)).toEqual([plain.id]);
    expect((await search(as, { keyword: '%' })).map(({ id }) => id)).toEqual([odd.id]);
    expect((await search(as, { keyword: '_a\\b' })).map(({ id }) => id)).toEqual([odd.id]);
    expect(await search(as, { keyword: '_lpha' })).toEqual([]);
    expect((await search(as, { token: `sk-${plain.key}` })).map(({ id }) => id)).toEqual([plain.id]);
    expect((await search(as, { token: plain.key.slice(10, 30) })).map(({ id }) => id)).toEqual([plain.id]);
    expect(await search(as, { keyword: 'alpha', token: odd.key })).toEqual([]);
    expect(await search(as, {})).toHaveLength(2);
    expect(await search(as, { p: '1', size: '1' })).toMatchObject([{ id: plain.id }]);
  });

  it('shows tokens to their owner only', async () => {
    const [owner, other] = [newCaller(), { ...newCaller(), role: 100 as const }];
    const { id } = await create(owner);
    const replies = [
      await testBed.harness.request('GET', `/api/token/${id}`, { as: other }),
      await put(other, { id, name: 'stolen' }),
      await put(other, { id, status: 2 }, { status_only: 'true' }),
      await testBed.harness.request('DELETE', `/api/token/${id}/`, { as: other }),
    ];
    for (const reply of replies)
      expect(reply).toMatchObject({ status: 200, body: { success: false, code: 'token-not-found' } });
    expect(await list(owner)).toMatchObject([{ id, name: '我的API', status: 1 }]);
    expect((await testBed.harness.request('GET', `/api/token/${id}`)).status).toBe(401);
    expect((await testBed.harness.request('GET', '/api/token/0', { as: owner })).body).toMatchObject({
      success: false,
      message: 'id 或 userId 为空！',
    });
  });

  it('changes only what the body contains, and the status only in a call for it alone', async () => {
    const as = newCaller();
    const token = await create(as, { model_limits_enabled: true, model_limits: 'gpt-4o' });
    const renamed = await put(as, { id: token.id, name: 'renamed', status: 2 });
    expect(renamed.body).toMatchObject({ success: true, data: { ...token, name: 'renamed', status: 1 } });
    const disabled = await put(as, { id: token.id, status: 2, name: 'ignored' }, { status_only: 'true' });
    expect(disabled.body).toMatchObject({ success: true, data: { name: 'renamed', status: 2, key: token.key } });
    expect((await put(as, { id: token.id, status: 3 }, { status_only: 'true' })).body).toMatchObject({
      success: false,
      message: '无效的参数',
    });
    expect((await put(as, { name: 'no id' })).body).toMatchObject({ success: false, message: 'id 或 userId 为空！' });
  });

  it('shows a token without a budget as used up to its owner and to the relay, also when it never had one', async () => {
    const as = newCaller();
    const token = await create(as, { remain_quota: 0 });
    expect(token).toMatchObject({ status: 4, remain_quota: 0, used_quota: 0 });
    expect(await search(as, { keyword: token.name })).toMatchObject([{ status: 4 }]);
    const { body } = await testBed.harness.request<Token>('GET', `/api/token/${token.id}`, { as });
    expect(body).toMatchObject({ success: true, data: { status: 4 } });
    expect(await testBed.call(resolveTokens, { ids: [token.id] })).toMatchObject({ tokens: [{ status: 4 }] });
    expect((await put(as, { id: token.id, status: 1 }, { status_only: 'true' })).body).toMatchObject({
      success: false,
      message: EXHAUSTED,
    });
    expect((await put(as, { id: token.id, unlimited_quota: true })).body).toMatchObject({ data: { status: 1 } });
  });

  it('lets a form with the status that it read use up or expire a working token', async () => {
    const as = newCaller();
    const token = await create(as);
    const ended = await put(as, { ...token, expired_time: 1000 });
    expect(ended.body).toMatchObject({ success: true, data: { status: 3, expired_time: 1000 } });
    await put(as, { id: token.id, expired_time: -1 });
    expect((await put(as, { ...token, remain_quota: 0 })).body).toMatchObject({ success: true, data: { status: 4 } });
    expect((await put(as, { ...token, remain_quota: 0 })).body).toMatchObject({ success: false, message: EXHAUSTED });
  });

  it('shows and guards the states that follow from time and budget', async () => {
    const as = newCaller();
    const token = await create(as, { remain_quota: 100 });
    await spend(as.id, token.id, 130);
    expect(await list(as)).toMatchObject([{ status: 4, remain_quota: 0, used_quota: 130 }]);
    expect((await put(as, { id: token.id, status: 1 }, { status_only: 'true' })).body).toMatchObject({
      success: false,
      message: EXHAUSTED,
    });
    expect((await put(as, { id: token.id, name: 'x', status: 1 })).body).toMatchObject({
      success: false,
      message: EXHAUSTED,
    });
    const refilled = await put(as, { id: token.id, remain_quota: 50, status: 1 });
    expect(refilled.body).toMatchObject({
      success: true,
      data: { status: 1, remain_quota: 50, used_quota: 130, name: '我的API' },
    });
    await put(as, { id: token.id, expired_time: 1000 });
    expect(await list(as)).toMatchObject([{ status: 3 }]);
    expect((await put(as, { id: token.id, status: 1 }, { status_only: 'true' })).body).toMatchObject({
      success: false,
      message: EXPIRED,
    });
    expect((await put(as, { id: token.id, status: 2 }, { status_only: 'true' })).body).toMatchObject({
      success: true,
      data: { status: 2 },
    });
    await put(as, { id: token.id, expired_time: -1, unlimited_quota: true, remain_quota: 0 });
    expect((await put(as, { id: token.id, status: 1 }, { status_only: 'true' })).body).toMatchObject({
      success: true,
      data: { status: 1 },
    });
  });

  it('journals every change of a budget, so that the budget is the sum of its postings', async () => {
    const as = newCaller();
    const token = await create(as, { remain_quota: 100 });
    await spend(as.id, token.id, 30);
    await put(as, { id: token.id, remain_quota: 500 });
    await put(as, { id: token.id, remain_quota: 20 });
    await put(as, { id: token.id, remain_quota: 20 });
    const rows = await testBed.sql<{ debit: string; credit: string; amount: string }>(
      `select "debit", "credit", "amount" from "posting" where "token_id" = ? and "code" = 'token-budget' order by "id"`,
      [token.id],
    );
    const budget = `token:${token.id}`;
    expect(rows).toEqual([
      { debit: 'budgets', credit: budget, amount: '100' },
      { debit: 'budgets', credit: budget, amount: '430' }, // 70 remained, 500 wanted
      { debit: budget, credit: 'budgets', amount: '480' }, // 500 remained, 20 wanted
    ]);
    const [row] = await testBed.sql<{ credit: string }>(`select "credit" from "token" where "id" = ?`, [token.id]);
    expect(Number(row?.credit)).toBe(100 + 430 - 480);
  });

  it('reports every change to replicas by revision, and a deleted token by its absence', async () => {
    const as = newCaller();
    const start = await testBed.call(pollBilling, { tokensSince: Number.MAX_SAFE_INTEGER });
    expect(start).toMatchObject({ changedTokenIds: [], complete: true });
    const token = await create(as, { name: 'short-lived' });
    const { tokens } = await testBed.call(resolveTokens, { ids: [token.id] });
    const keyHash = tokens[0]?.keyHash ?? '';
    expect(await testBed.call(resolveTokens, { keyHashes: [keyHash, 'unknown'] })).toMatchObject({
      tokens: [{ id: token.id, userId: as.id, status: 1 }],
    });
    expect(tokens[0]?.keyHint).toBe(`${token.key.slice(0, 3)}***${token.key.slice(-3)}`);
    const afterCreate = await testBed.call(pollBilling, { tokensSince: start.tokenRevision });
    expect(afterCreate).toMatchObject({
      changedTokenIds: [token.id],
      complete: true,
      tokenRevision: start.tokenRevision + 1,
    });
    const deleted = await testBed.harness.request('DELETE', `/api/token/${token.id}/`, { as });
    expect(deleted.body).toEqual({ success: true, message: '' });
    expect(await testBed.call(pollBilling, { tokensSince: afterCreate.tokenRevision })).toMatchObject({
      changedTokenIds: [token.id],
    });
    expect(await testBed.call(resolveTokens, { keyHashes: [keyHash], ids: [token.id] })).toEqual({ tokens: [] });
    expect(await testBed.call(nameTokens, { ids: [token.id, 1_000_000] })).toEqual({
      names: { [token.id]: 'short-lived' },
    });
    expect(await list(as)).toEqual([]);
    expect(await testBed.harness.request('DELETE', `/api/token/${token.id}`, { as })).toMatchObject({
      body: { success: false },
    });
    const events = (await testBed.outbox<{ tokenId: number; revision: number }>('token-changed')).filter(
      (event) => event.tokenId === token.id,
    );
    expect(events.map(({ revision }) => revision)).toEqual([start.tokenRevision + 1, start.tokenRevision + 2]);
  });

  it('never gives two changes one revision', async () => {
    const as = newCaller();
    await Promise.all(Array.from({ length: 10 }, (_, index) => post(as, { name: `p${index}` })));
    const rows = await testBed.sql<{ revision: string }>(`select "revision" from "token" where "user_id" = ?`, [as.id]);
    expect(new Set(rows.map(({ revision }) => revision)).size).toBe(10);
  });

  describe('billing views of a key', () => {
    const view = (path: string, key?: string) =>
      testBed.harness.request('GET', path, { headers: key === undefined ? {} : { authorization: `Bearer sk-${key}` } });

    it('answer in the shapes of OpenAI, under both paths', async () => {
      const as = newCaller();
      const token = await create(as, { remain_quota: 1_500_000, expired_time: 4_102_444_800 });
      await spend(as.id, token.id, 500_000);
      for (const prefix of ['/v1/dashboard', '/dashboard']) {
        expect((await view(`${prefix}/billing/subscription`, token.key)).body).toEqual({
          object: 'billing_subscription',
          has_payment_method: true,
          soft_limit_usd: 3,
          hard_limit_usd: 3,
          system_hard_limit_usd: 3,
          access_until: 4_102_444_800,
        });
        expect((await view(`${prefix}/billing/usage`, token.key)).body).toEqual({ object: 'list', total_usage: 100 });
      }
    });

    it("refuse a key in the relay's order and with its texts", async () => {
      const as = newCaller();
      const token = await create(as, { remain_quota: 10 });
      const path = '/v1/dashboard/billing/usage';
      const refusal = async (key?: string) => {
        const { status, body } = await view(path, key);
        return [
          status,
          (body['error'] as { message: string } | undefined)?.message.replace(/ \(request id: .*\)$/, ''),
        ];
      };
      expect(await refusal()).toEqual([401, '未提供令牌']);
      expect(await refusal('x'.repeat(48))).toEqual([401, '无效的令牌']);
      await spend(as.id, token.id, 11);
      const hint = `${token.key.slice(0, 3)}***${token.key.slice(-3)}`;
      expect(await refusal(token.key)).toEqual([401, `该令牌额度已用尽 TokenStatusExhausted[sk-${hint}]`]);
      await put(as, { id: token.id, expired_time: 1000 });
      expect(await refusal(token.key)).toEqual([401, '该令牌已过期']);
      await put(as, { id: token.id, status: 2 }, { status_only: 'true' });
      expect(await refusal(token.key)).toEqual([401, '该令牌状态不可用']);
      const banned = newCaller();
      testBed.neighbours.users.set(banned.id, { status: 2 });
      expect(await refusal((await create(banned)).key)).toEqual([403, '用户已被封禁']);
      const chooser = newCaller();
      const named = `${(await create(chooser)).key}-1`;
      expect(await refusal(named)).toEqual([403, '普通用户不支持指定渠道']);
      testBed.neighbours.users.set(chooser.id, { role: 10 });
      expect(await refusal(named)).toEqual([200, undefined]);
      const away = await create(newCaller(), { allow_ips: '192.0.2.0/24' });
      expect(await refusal(away.key)).toEqual([403, '您的 IP 不在令牌允许访问的列表中']);
      const here = await create(newCaller(), { allow_ips: '127.0.0.0/8' });
      expect(await refusal(here.key)).toEqual([200, undefined]);
    });
  });
});
