import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getBalances, mostBalance } from '@tollgate/contracts';
import type { Page } from '@tollgate/contracts';
import type { Redemption, RedemptionSum } from '@tollgate/contracts/api/redemption';
import { hasPostgres, type TestCaller } from '@tollgate/testing';
import { type BillingTestBed, startBilling } from './test-bed.js';

const suite = hasPostgres() ? describe : describe.skip;
const root: TestCaller = { id: 1, role: 10 };

suite('redemption codes', () => {
  let testBed: BillingTestBed;
  beforeAll(async () => {
    testBed = await startBilling();
  });
  afterAll(() => testBed.close());

  const request = <T>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown, query = {}) =>
    testBed.harness.request<T>(method, path, { as: root, body, query });
  const make = async (input: object = {}): Promise<string[]> => {
    const reply = await request<string[]>('POST', '/api/redemption/', { name: 'gift', count: 1, quota: 500, ...input });
    if (!reply.body.success) throw new Error(reply.body.message);
    return reply.body.data ?? [];
  };
  const search = async (query: object): Promise<Page<Redemption>> => {
    const { body } = await request<Page<Redemption>>('GET', '/api/redemption/search', undefined, query);
    if (!body.success || !body.data) throw new Error(body.message);
    return body.data;
  };
  const rowOf = async (key: string): Promise<Redemption> => {
    const row = (await search({ page_size: 100 })).items.find((item) => item.key === key);
    if (!row) throw new Error('no such code');
    return row;
  };
  const redeem = (id: number, key: unknown) =>
    testBed.harness.request<number>('POST', '/api/user/topup', { as: { id }, body: { key } });
  const quotaOf = async (id: number) => (await testBed.call(getBalances, { userIds: [id] })).balances[0]?.quota;

  it('creates a batch, lists it newest first, and finds it by id and by the start of its name', async () => {
    const keys = await make({ name: '50%_off', count: 3, quota: 100_000 });
    expect(new Set(keys).size).toBe(3);
    expect(keys).toEqual(keys.map(() => expect.stringMatching(/^[0-9a-f]{32}$/)));
    const page = await search({ keyword: '50%_', p: 1, page_size: 2 });
    expect(page).toMatchObject({ total: 3, page: 1, page_size: 2 });
    expect(page.items[0]).toEqual({
      id: page.items[0]?.id,
      user_id: 1,
      key: keys[2],
      status: 1,
      name: '50%_off',
      quota: 100_000,
      created_time: expect.any(Number),
      redeemed_time: 0,
      used_user_id: 0,
      DeletedAt: null,
      expired_time: 0,
    });
    // The documented call returns the first page for 0, and states 0.
    for (const p of [0, -1])
      expect(await search({ keyword: '50%_', p })).toMatchObject({ total: 3, page: 0, page_size: 10 });
    expect((await search({ keyword: '50__' })).total).toBe(0);
    expect((await search({ keyword: '50%_OFF' })).total).toBe(3);
    await make({ name: 'Été' });
    for (const keyword of ['Ét', 'éT']) expect(await search({ keyword })).toMatchObject({ items: [{ name: 'Été' }] });
    expect((await search({ keyword: String(page.items[0]?.id) })).items.map(({ key }) => key)).toContain(keys[2]);
    expect(JSON.stringify(await testBed.sql('select * from "redemption"'))).not.toContain(keys[0]);
    expect(JSON.stringify(await testBed.outbox('admin-action'))).not.toContain(keys[0]);
  });

  it.each([
    [{ name: '' }, '兑换码名称长度必须在1-20之间'],
    [{ name: '名'.repeat(21) }, '兑换码名称长度必须在1-20之间'],
    [{ name: 'a\nb' }, '无效的参数'],
    [{ count: 0 }, '兑换码个数必须大于0'],
    [{ count: undefined }, '兑换码个数必须大于0'],
    [{ count: 101 }, '一次兑换码批量生成的个数不能大于 100'],
    [{ count: 1e16 }, '一次兑换码批量生成的个数不能大于 100'],
    [{ quota: 0 }, '兑换码额度必须大于0'],
    [{ quota: -5 }, '兑换码额度必须大于0'],
    [{ quota: 1.5 }, '兑换码额度必须大于0'],
    [{ quota: 10_000_000_000_001 }, '兑换码额度不能大于 10000000000000'],
    [{ quota: Number.MAX_SAFE_INTEGER }, '兑换码额度不能大于 10000000000000'],
    [{ quota: 1e16 }, '兑换码额度不能大于 10000000000000'],
    [{ quota: 100_000_000_001, count: 100 }, '一批兑换码的总额度不能大于 10000000000000'],
    [{ expired_time: Number.MAX_SAFE_INTEGER }, '过期时间格式错误！'],
    [{ expired_time: 253_402_300_800 }, '过期时间格式错误！'],
    [{ expired_time: 1 }, '过期时间不能早于当前时间'],
  ])('refuses %j', async (input, message) => {
    const body = { name: 'gift', count: 1, quota: 500, ...input };
    expect((await request('POST', '/api/redemption/', body)).body).toMatchObject({ success: false, message });
  });

  it('says how much each code of a batch may be worth at most', async () => {
    const { body } = await request('POST', '/api/redemption/', { name: 'gift', count: 3, quota: 4_000_000_000_000 });
    expect(body.fields).toEqual([
      {
        path: 'quota',
        code: 'field-too-large',
        params: { most: 3_333_333_333_333, reason: '一批兑换码的总额度不能大于 10000000000000' },
      },
    ]);
  });

  it('lists a code that was sealed with a secret key which is not set here, without showing it', async () => {
    await make({ name: 'closed', count: 2 });
    await testBed.sql(
      `update "redemption" set "key_sealed" = 'v1.of.another.key' where "id" = (select min("id") from "redemption" where "name" = 'closed')`,
    );
    const { items } = await search({ keyword: 'closed' });
    expect(items.map(({ key }) => key)).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), '']);
    const removed = await request('DELETE', `/api/redemption/${items[1]?.id}`);
    expect(removed.body.success).toBe(true);
  });

  it('takes a name of twenty characters in any script', async () => {
    expect(await make({ name: '名'.repeat(20), count: 100 })).toHaveLength(100);
  });

  it('gives a code to one of a hundred users who send it at once', async () => {
    const [key] = await make({ quota: 700 });
    const users = Array.from({ length: 100 }, (_, index) => 1000 + index);
    const replies = await Promise.all(users.map((id) => redeem(id, key)));
    const won = replies.filter(({ body }) => body.success);
    expect(won.map(({ body }) => body)).toEqual([{ success: true, message: '', data: 700 }]);
    const refusals = new Set(replies.filter(({ body }) => !body.success).map(({ body }) => body.message));
    expect([...refusals]).toEqual(['兑换失败，该兑换码已被使用']);
    const balances = await Promise.all(users.map(quotaOf));
    expect(balances.reduce((sum = 0, quota = 0) => sum + quota, 0)).toBe(700);
    const row = await rowOf(key ?? '');
    expect(row).toMatchObject({ status: 3, redeemed_time: expect.any(Number) });
    expect(await quotaOf(row.used_user_id)).toBe(700);
    expect(
      await testBed.sql(
        `select "debit", "credit", "amount" from "posting" where "code" = 'redemption' and "reference" = ?`,
        [String(row.id)],
      ),
    ).toEqual([{ debit: 'redemptions', credit: `wallet:${row.used_user_id}`, amount: '700' }]);
    const events = await testBed.outbox<{ redemptionId: number }>('redemption-redeemed');
    expect(events.filter(({ redemptionId }) => redemptionId === row.id)).toEqual([
      { userId: row.used_user_id, redemptionId: row.id, quota: 700, quotaText: '＄0.001400 额度' },
    ]);
  });

  it('accepts a code that was pasted with blanks and in capitals', async () => {
    const [key = ''] = await make();
    expect((await redeem(50, `  ${key.toUpperCase()}\n`)).body).toMatchObject({ success: true, data: 500 });
  });

  it('states why a code is not accepted', async () => {
    const message = async (key: unknown) => (await redeem(51, key)).body.message;
    expect(await message('')).toBe('兑换失败，未提供兑换码');
    expect(await message(undefined)).toBe('兑换失败，未提供兑换码');
    expect(await message('f'.repeat(32))).toBe('兑换失败，无效的兑换码');
    expect((await redeem(51, 'f'.repeat(32))).body).toMatchObject({
      fields: [{ path: 'key', code: 'redemption-unknown' }],
    });
    const [off = '', gone = '', late = ''] = await make({ count: 3 });
    await request('PUT', '/api/redemption/', { id: (await rowOf(off)).id, status: 2 }, { status_only: true });
    expect(await message(off)).toBe('兑换失败，该兑换码已被使用');
    await request('DELETE', `/api/redemption/${(await rowOf(gone)).id}/`);
    expect(await message(gone)).toBe('兑换失败，无效的兑换码');
    await testBed.sql('update "redemption" set "expired_time" = 1 where "id" = ?', [(await rowOf(late)).id]);
    expect(await message(late)).toBe('兑换失败，该兑换码已过期');
    // A form sends back the expiry that it read.
    const saved = await request('PUT', '/api/redemption/', { ...(await rowOf(late)), name: 'renamed' });
    expect(saved.body).toMatchObject({ success: true, data: { name: 'renamed', expired_time: 1 } });
    expect(await quotaOf(51)).toBe(0);
  });

  it("refuses a code that would exceed the wallet's limit, and keeps it usable", async () => {
    const [key = ''] = await make();
    const fill = (credit: number) =>
      testBed.sql(
        `insert into "account" ("user_id", "credit") values (54, ?) on conflict ("user_id") do update set "credit" = excluded."credit"`,
        [credit],
      );
    await fill(mostBalance - 499);
    expect((await redeem(54, key)).body).toMatchObject({
      ...{
        success: false,
        code: 'quota-out-of-range',
        message: '兑换失败，额度超出可以保存的范围，最多为 1000000000000000',
      },
    });
    await fill(mostBalance - 500);
    expect((await redeem(54, key)).body).toMatchObject({ success: true, data: 500 });
  });

  it('limits attempts with unknown codes', async () => {
    const replies = [];
    for (let turn = 0; turn < 21; turn += 1) replies.push(await redeem(52, turn.toString(16).padStart(32, '0')));
    expect(replies.map(({ status }) => status)).toEqual([...Array<number>(20).fill(200), 429]);
    expect(Number(replies[20]?.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('limits attempts with unknown codes that are sent at once', async () => {
    const codes = Array.from({ length: 40 }, (_, turn) => turn.toString(16).padStart(32, '1'));
    const replies = await Promise.all(codes.map((code) => redeem(55, code)));
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(20).fill(200), ...Array<number>(20).fill(429)]);
  });

  it('counts no attempt with a code that exists, accepted or not', async () => {
    const keys = await make({ count: 21 });
    for (const key of keys) expect((await redeem(56, key)).body).toMatchObject({ success: true });
    for (const key of keys) expect((await redeem(56, key)).body).toMatchObject({ code: 'redemption-already-used' });
  });

  it('changes an unused code only, and keeps a used one used', async () => {
    const [key = ''] = await make();
    const { id } = await rowOf(key);
    const edit = (body: object, query = {}) => request<Redemption>('PUT', '/api/redemption/', { id, ...body }, query);
    expect((await edit({ name: 'more', quota: 900, status: 2 })).body).toMatchObject({
      data: { name: 'more', quota: 900, status: 1 },
    });
    expect((await edit({ status: 2 }, { status_only: 'true' })).body).toMatchObject({ data: { status: 2 } });
    expect((await edit({ quota: 1 })).body).toMatchObject({ success: false, code: 'redemption-not-unused' });
    expect((await edit({ status: 3 }, { status_only: 'true' })).body).toMatchObject({ message: '无效的参数' });
    await edit({ status: 1 }, { status_only: 'true' });
    expect((await redeem(53, key)).body).toMatchObject({ data: 900 });
    for (const [body, query] of [[{ quota: 1 }, {}] as const, [{ status: 1 }, { status_only: 'true' }] as const])
      expect((await edit(body, query)).body).toMatchObject({ success: false, message: '该兑换码已被使用' });
    expect((await request('GET', `/api/redemption/${id}`)).body).toMatchObject({
      data: { status: 3, used_user_id: 53 },
    });
    expect((await request('GET', '/api/redemption/999999')).body).toMatchObject({ message: '兑换码不存在' });
  });

  it('does not overwrite what another administrator changed meanwhile', async () => {
    const [key = ''] = await make({ quota: 500 });
    const { id } = await rowOf(key);
    const edit = (body: object) => request<Redemption>('PUT', '/api/redemption/', { id, ...body });
    expect((await edit({ quota: 900, expected: { quota: 500, name: 'gift' } })).body).toMatchObject({ success: true });
    expect((await edit({ quota: 700, expected: { quota: 500 } })).body).toMatchObject({
      ...{ success: false, code: 'redemption-changed-meanwhile', message: '该兑换码已被他人修改，请刷新后重试' },
      fields: [{ path: 'quota' }],
    });
    expect((await edit({ name: 'else', expected: { name: 'gift' } })).body).toMatchObject({ data: { quota: 900 } });
  });

  it('adds up unused, disabled and used codes', async () => {
    const { body } = await request<RedemptionSum[]>('GET', '/api/redemption/sums');
    const sums = body.success ? (body.data ?? []) : [];
    const [row] = await testBed.sql<{ quota: string }>(
      `select sum("quota") as "quota" from "redemption" where "status" = 3 and "deleted_at" is null`,
    );
    expect(sums.find(({ status }) => status === 3)?.quota).toBe(Number(row?.quota));
    expect((await search({ status: 3 })).total).toBe(sums.find(({ status }) => status === 3)?.count);
  });

  it('adds up codes whose total quota exceeds the safe integers', async () => {
    const keys = await make({ count: 2 });
    for (const key of keys)
      await testBed.sql('update "redemption" set "quota" = ?, "status" = 2 where "id" = ?', [
        Number.MAX_SAFE_INTEGER,
        (await rowOf(key)).id,
      ]);
    const { body } = await request<RedemptionSum[]>('GET', '/api/redemption/sums');
    expect(body).toMatchObject({ success: true });
    expect(body.success && body.data?.find(({ status }) => status === 2)?.quota).toBe(Number.MAX_SAFE_INTEGER);
  });
});
