import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readUntil } from '@tollgate/testing';
import { LogWorld } from './log-world.js';
import { expectFields, expectErrorReply, expectSuccess, plain, spellings } from './support.js';

const DATA = {
  id: 'int',
  user_id: 'int',
  username: 'string',
  model_name: 'string',
  created_at: 'int',
  token_used: 'int',
  count: 'int',
  quota: 'int',
} as const;

const now = (): number => Math.floor(Date.now() / 1000);

describe('statistics', () => {
  const world = new LogWorld();
  beforeAll(() => world.open(), 120_000);
  afterAll(() => world.close());

  describe('dashboard data', () => {
    it.each(spellings('/api/data/'))('GET %s sums all users by model and hour', async (path) => {
      const rows = await readUntil(
        () => world.admin.data<Record<string, number | string>[]>('GET', path),
        (data) => data.length >= 3,
      );
      for (const row of rows) {
        expectFields(row, DATA);
        expect([row['user_id'], row['username'], Number(row['created_at']) % 3600]).toEqual([0, '', 0]);
      }
      const consumed = (await world.all('type=2')).items;
      expect(rows.reduce((sum, row) => sum + Number(row['quota']), 0)).toBe(
        consumed.reduce((sum, row) => sum + row.quota, 0),
      );
      expect(rows.reduce((sum, row) => sum + Number(row['count']), 0)).toBe(consumed.length);
    });

    it('shows a given user to administrators, and users themselves', async () => {
      const asked = await world.admin.data<Record<string, unknown>[]>(
        'GET',
        `/api/data/?username=second&start_timestamp=${now() - 7200}&end_timestamp=${now() + 3600}&default_time=hour`,
      );
      expect(asked.map((row) => [row['username'], row['user_id'], row['model_name'], row['count']])).toEqual([
        ['second', world.second.id, 'gpt-4o-mini', 1],
      ]);
      expect(await world.second.data('GET', '/api/data/self/')).toEqual(asked);
      expect(await world.second.data('GET', '/api/data/self?username=first')).toEqual(asked);
      expect(
        await world.admin.data('GET', '/api/data/?username=second&start_timestamp=0&end_timestamp=9999999999'),
      ).toEqual(asked);
      expect(await world.admin.data('GET', '/api/data/?username=nobody')).toEqual([]);
      expect(await world.admin.data('GET', `/api/data/?start_timestamp=1&end_timestamp=3600`)).toEqual([]);
    });

    it('is limited to 31 days for users', async () => {
      const end = now();
      expectSuccess(
        await world.first.call('GET', `/api/data/self?start_timestamp=${end - 31 * 86_400}&end_timestamp=${end}`),
      );
      expectErrorReply(
        await world.first.call('GET', `/api/data/self?start_timestamp=${end - 31 * 86_400 - 1}&end_timestamp=${end}`),
        '时间跨度不能超过 1 个月',
      );
      for (const query of [`end_timestamp=${end}`, `start_timestamp=0&end_timestamp=${end}`])
        expectErrorReply(await world.first.call('GET', `/api/data/self?${query}`), '时间跨度不能超过 1 个月');
      expectSuccess(
        await world.first.call('GET', `/api/data/self?start_timestamp=${end}&end_timestamp=${end - 60 * 86_400}`),
      );
      expectSuccess(
        await world.admin.call('GET', `/api/data/?start_timestamp=${end - 300 * 86_400}&end_timestamp=${end}`),
      );
      for (const query of [
        'start_timestamp=abc',
        'start_timestamp=-5&end_timestamp=-1',
        'start_timestamp=99999999999999999999',
      ]) {
        expectSuccess(await world.first.call('GET', `/api/data/self?${query}`));
      }
    });
  });

  describe('the billing calls of OpenAI', () => {
    const get = async (path: string, apiKey?: string): Promise<[number, Record<string, unknown>]> => {
      const reply = await plain(
        world.testBed,
        'GET',
        path,
        apiKey === undefined ? {} : { headers: { authorization: `Bearer ${apiKey}` } },
      );
      return [reply.status, JSON.parse(reply.text) as Record<string, unknown>];
    };
    const both = (name: string): string[] => [
      ...spellings(`/v1/dashboard/billing/${name}`),
      ...spellings(`/dashboard/billing/${name}`),
    ];

    it('return the limit of a key in dollars and its spending in cents', async () => {
      const [token] = await world.first.data<{ used_quota: number }[]>(
        'GET',
        '/api/token/search?keyword=budget&token=',
      );
      const used = token?.used_quota ?? 0;
      expect(used).toBeGreaterThan(0);
      for (const path of both('subscription')) {
        expect(await get(path, world.budgetKey)).toEqual([
          200,
          {
            object: 'billing_subscription',
            has_payment_method: true,
            soft_limit_usd: 1,
            hard_limit_usd: 1,
            system_hard_limit_usd: 1,
            access_until: 0,
          },
        ]);
        expect((await get(path, world.key))[1]).toMatchObject({ hard_limit_usd: 100_000_000 });
      }
      for (const path of both('usage?start_date=2025-01-01&end_date=2025-02-01')) {
        const [status, usage] = await get(path, world.budgetKey);
        expect([status, usage['object']]).toEqual([200, 'list']);
        expect(usage['total_usage']).toBeCloseTo((used / 500_000) * 100, 9);
      }
    });

    it('return the figures of the owner, or units, according to the options', async () => {
      const self = await world.first.data<{ quota: number; used_quota: number }>('GET', '/api/user/self');
      await world.testBed.root.data('PUT', '/api/option/', { key: 'DisplayTokenStatEnabled', value: 'false' });
      expect((await get('/v1/dashboard/billing/subscription', world.budgetKey))[1]['hard_limit_usd']).toBeCloseTo(
        (self.quota + self.used_quota) / 500_000,
        9,
      );
      await world.testBed.root.data('PUT', '/api/option/', { key: 'DisplayTokenStatEnabled', value: 'true' });
      await world.testBed.root.data('PUT', '/api/option/', { key: 'DisplayInCurrencyEnabled', value: 'false' });
      expect((await get('/v1/dashboard/billing/subscription', world.budgetKey))[1]['hard_limit_usd']).toBe(500_000);
      await world.testBed.root.data('PUT', '/api/option/', { key: 'DisplayInCurrencyEnabled', value: 'true' });
    });

    it('refuse a missing or unknown key with an error in the form of OpenAI', async () => {
      for (const path of both('subscription')) {
        for (const [apiKey, message] of [
          [undefined, '未提供令牌'],
          ['sk-nothing', '无效的令牌'],
        ] as const) {
          const [status, body] = await get(path, apiKey);
          expect(status).toBe(401);
          expect(body).toMatchObject({
            error: {
              message: expect.stringMatching(new RegExp(`^${message} \\(request id: [0-9a-f-]{36}\\)$`)),
              type: 'new_api_error',
            },
          });
        }
      }
    });
  });

  it('shows a token as exhausted when its budget is spent, and refuses its calls', async () => {
    const spender = await world.testBed.user('spender', 1_000_000);
    const price = 500;
    const apiKey = await world.testBed.token(spender, { name: 'spent', unlimited_quota: false, remain_quota: price });
    expect((await world.chat(apiKey, '100%_model')).status).toBe(200);
    const list = (): Promise<{ id: number; status: number; remain_quota: number; used_quota: number }[]> =>
      spender.data('GET', '/api/token/?p=0&size=10');
    const [token] = await readUntil(list, ([row]) => row?.used_quota === price);
    expect(token).toMatchObject({ status: 4, remain_quota: 0, used_quota: price });
    const refused = await world.chat(apiKey, '100%_model');
    expect([refused.status, ((await refused.json()) as { error: { message: string } }).error.message]).toEqual([
      401,
      expect.stringContaining('该令牌额度已用尽'),
    ]);
    expectErrorReply(
      await spender.call('PUT', '/api/token/?status_only=true', { id: token?.id, status: 1 }),
      '令牌可用额度已用尽，无法启用，请先修改令牌剩余额度，或者设置为无限额度',
    );
  });
});
