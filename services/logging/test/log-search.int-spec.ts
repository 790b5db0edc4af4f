import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { adminAction, type TokenRecord } from '@tollgate/contracts';
import type { Log, LogStat } from '@tollgate/contracts/api/log';
import { hasPostgres } from '@tollgate/testing';
import { LogStore } from '../src/store/log-store.js';
import { admin, type LogDesk, openLogDesk } from './log-desk.js';
import { consumed, type LogPage, newKey, otherOf } from './test-bed.js';

(hasPostgres() ? describe : describe.skip)('searches of the usage log', () => {
  let testBed: LogDesk['testBed'];
  let list: LogDesk['list'];
  let own: LogDesk['own'];
  let nameOf: LogDesk['nameOf'];

  beforeAll(async () => {
    ({ testBed, list, own, nameOf } = await openLogDesk());
  }, 60_000);
  afterAll(() => testBed.close());

  describe('filters', () => {
    const at = 1_700_000_000; // in no partition of its own
    let names: Record<'a' | 'b', string>;
    beforeAll(async () => {
      const [a, b] = [testBed.newUser(), testBed.newUser()];
      names = { a: nameOf(a), b: nameOf(b) };
      const row = (userId: number, seconds: number, change: object) =>
        consumed({
          userId,
          startedAt: new Date(seconds * 1000).toISOString(),
          durationMs: 0,
          group: 'filters',
          ...change,
        });
      await testBed.publish(
        row(a, at, { model: 'gpt_4%', quota: 1 }),
        row(a, at + 10, { model: 'gpt-4o', tokenId: 10, quota: 2 }),
        row(b, at + 20, { model: 'gptx4yz', channelId: 4, quota: 4 }),
        row(b, at + 30, { model: 'gpt-4o', outcome: 'failed', quota: 8 }),
      );
    });

    it.each([
      ['nothing', {}, [0, 4, 2, 1]],
      ['type', { type: 5 }, [0]],
      ['username', { username: 'a' }, [2, 1]],
      ['token_name with % and _', { token_name: '100%_sure' }, [2]],
      ['a token_name that would match as a pattern', { token_name: '100%' }, []],
      ['model_name', { model_name: 'gpt-4o' }, [0, 2]],
      ['model_name with % and _ literally', { model_name: 'gpt_4%' }, [1]],
      ['model_name %', { model_name: '%' }, []],
      ['channel', { channel: 4 }, [4]],
      ['start, inclusive', { start_timestamp: at + 20 }, [0, 4]],
      ['end, inclusive', { end_timestamp: at + 10 }, [2, 1]],
      ['both', { start_timestamp: at + 10, end_timestamp: at + 20 }, [4, 2]],
      ['several', { username: 'b', model_name: 'gpt-4o', type: 2 }, []],
      ['a request id that is none', { request_id: "x'" }, []],
      ['an unknown type', { type: 99999999999 }, []],
    ])('by %s', async (_, filter: Record<string, string | number>, quotas) => {
      const username = filter.username === undefined ? undefined : names[filter.username as 'a' | 'b'];
      const query = { group: 'filters', ...filter, ...(username !== undefined && { username }) };
      const page = await list(query);
      expect(page.items.map(({ quota }) => quota)).toEqual(quotas);
      expect(page.total).toBe(quotas.length);
      const { data } = (await testBed.request<LogStat>('GET', '/api/log/stat', { as: admin, query })).body as {
        data: LogStat;
      };
      if (filter.type === undefined) expect(data.quota).toBe(quotas.reduce((sum, quota) => sum + quota, 0));
    });

    it('pages from 1, with both spellings of page and size', async () => {
      const quotas = async (query: Record<string, string | number>): Promise<number[]> =>
        (await list({ group: 'filters', ...query })).items.map(({ quota }) => quota);
      expect(await quotas({ p: 1, page_size: 3 })).toEqual([0, 4, 2]);
      expect(await quotas({ p: 0, size: 3 })).toEqual([0, 4, 2]);
      expect(await quotas({ p: 2, page_size: 3 })).toEqual([1]);
      expect(await quotas({ p: 1_000_000, page_size: 100 })).toEqual([]);
      expect(await list({ group: 'filters', p: 2, page_size: 3 })).toMatchObject({ total: 4, page: 2, page_size: 3 });
    });

    it('finds a request by its id', async () => {
      const event = consumed({ userId: testBed.newUser() });
      await testBed.publish(event);
      const page = await list({ request_id: event.id });
      expect(page.items.map((log) => otherOf(log).request_id)).toEqual([event.id]);
    });

    it('refuses a text with a NUL instead of failing', async () => {
      const reply = await testBed.request('GET', '/api/log/', { as: admin, query: { model_name: 'a\0b' } });
      expect(reply.body).toMatchObject({ success: false, kind: 'invalid', message: '无效的参数' });
    });
  });

  describe('totals', () => {
    it('belong to the same snapshot as the page', async () => {
      const row = () => consumed({ userId: 1, group: 'moment' });
      await testBed.publish(row(), row());
      const store = testBed.get(LogStore);
      const count = store.count.bind(store);
      let begin = (): void => undefined;
      const written = new Promise<void>((resolve) => (begin = resolve)).then(() => testBed.publish(row()));
      jest.spyOn(store, 'count').mockImplementationOnce(async (conditions) => {
        begin();
        await written;
        return count(conditions);
      });
      expect((await list({ group: 'moment', page_size: 1 })).total).toBe(2);
      expect((await list({ group: 'moment', page_size: 1 })).total).toBe(3);
    });

    it('count the last 60 seconds for rpm and tpm, whatever the time filter says', async () => {
      const userId = testBed.newUser();
      const old = new Date(Date.now() - 300_000).toISOString();
      await testBed.publish(
        consumed({ userId }),
        consumed({ userId, model: 'other' }),
        consumed({ userId, startedAt: old }),
      );
      expect(await own(userId, '/api/log/self/stat')).toEqual({ quota: 675, rpm: 2, tpm: 240 });
      const before = Math.floor(Date.now() / 1000) - 100;
      expect(await own(userId, '/api/log/self/stat', { end_timestamp: before })).toEqual({
        quota: 225,
        rpm: 2,
        tpm: 240,
      });
      expect(await own(userId, '/api/log/self/stat', { model_name: 'other' })).toEqual({
        quota: 225,
        rpm: 1,
        tpm: 120,
      });
    });

    it('sum the quota of consumption only', async () => {
      const userId = testBed.newUser();
      await testBed.publish(consumed({ userId }), consumed({ userId, outcome: 'failed', quota: 0 }));
      const quotaOf = async (query: Record<string, number>): Promise<unknown> =>
        own(userId, '/api/log/self/stat', query);
      const all = { quota: 225, rpm: 1, tpm: 120 };
      expect(await quotaOf({ type: 0 })).toEqual(all);
      expect(await quotaOf({ type: 2 })).toEqual(all);
      for (const type of [1, 3, 5]) expect(await quotaOf({ type })).toEqual({ quota: 0, rpm: 0, tpm: 0 });
    });

    it('are exact to the second at both ends, and include requests that the dashboard leaves out', async () => {
      const userId = testBed.newUser();
      const start = Date.UTC(2024, 4, 1) / 1000;
      const endingAt = (second: number) =>
        consumed({ userId, startedAt: new Date((start + second) * 1000).toISOString(), durationMs: 0 });
      testBed.setOptions({ DataExportEnabled: 'false' });
      await testBed.publish(...[0, 3599, 3600, 7199, 7200, 9000].map(endingAt));
      testBed.setOptions({});
      const quotaOf = async (from: number, to: number): Promise<number> => {
        const query = { start_timestamp: start + from, end_timestamp: start + to };
        return ((await own(userId, '/api/log/self/stat', query)) as { quota: number }).quota / 225;
      };
      expect([
        await quotaOf(0, 9000),
        await quotaOf(1, 8999),
        await quotaOf(0, 7199),
        await quotaOf(3599, 7200),
        await quotaOf(3601, 7198),
        await quotaOf(3600, 7199),
      ]).toEqual([6, 4, 4, 4, 0, 2]);
      expect(await own(userId, '/api/data/self', { start_timestamp: start, end_timestamp: start + 9000 })).toEqual([]);
    });

    it('are exact up to ten thousand rows and estimated beyond', async () => {
      const userId = testBed.newUser();
      await testBed
        .em()
        .execute(
          `insert into "log" ("created_at", "event_id", "user_id", "type", "username", "group") select 1500000000 + n, gen_random_uuid(), ?, 2, ?, 'crowd' from generate_series(1, 30000) as n`,
          [userId, nameOf(userId)],
        );
      await testBed.em().execute('analyze "log"');
      const { total, total_is_estimate: isEstimate } = await list({ group: 'crowd' });
      expect(isEstimate).toBe(true);
      expect(total).toBeGreaterThan(25_000);
      expect(total).toBeLessThan(35_000);
      const few = await list({ group: 'crowd', end_timestamp: 1_500_000_000 + 10_000 });
      expect([few.total, few.total_is_estimate]).toEqual([10_000, undefined]);
    });

    it('for several filters are exact over few rows, and estimated from the newest over many', async () => {
      const userId = testBed.newUser();
      await testBed.em().execute(
        `insert into "log" ("created_at", "event_id", "user_id", "type", "username", "group", "model_name", "channel_id")
         select 1400000000 + n, gen_random_uuid(), ?, 2, ?, 'flock', 'model' || n % 3, n % 2 from generate_series(1, 30000) as n`,
        [userId, nameOf(userId)],
      );
      await testBed.em().execute('analyze "log"');
      const { total } = await list({ group: 'flock', model_name: 'model1' });
      expect(total).toBeGreaterThan(9_000);
      expect(total).toBeLessThan(11_000);
      const few = { username: nameOf(userId), model_name: 'model1', type: 2, end_timestamp: 1_400_000_000 + 2_998 };
      expect((await list({ ...few, channel: 1 })).total).toBe(500);
      expect((await list({ ...few, type: 5 })).total).toBe(0);
      const behind = await list({ group: 'flock', model_name: 'model1', p: 1_200, page_size: 10 });
      expect([behind.items.length, behind.total <= 12_000]).toEqual([0, true]);
    });
  });

  describe('search', () => {
    it('finds content by a literal prefix, and rows by type', async () => {
      const userId = testBed.newUser();
      const text = "100%_off\\ for 'you'";
      await testBed.publish(
        testBed.newEvent(adminAction, { actorId: 1, action: 'user-update', subject: 'user:1', userId, text }),
      );
      const search = async (keyword: string): Promise<Log[]> =>
        (
          (await testBed.request<Log[]>('GET', '/api/log/search', { as: admin, query: { keyword } })).body as {
            data: Log[];
          }
        ).data;
      const ours = async (keyword: string): Promise<string[]> =>
        (await search(keyword)).filter((log) => log.user_id === userId).map(({ content }) => content);
      expect(await ours('100%_off\\')).toEqual([text]);
      expect(await ours('100__off')).toEqual([]);
      expect(await ours('3')).toEqual([text]);
      expect(await own(userId, '/api/log/self/search', { keyword: '3' })).toHaveLength(1);
      expect(await own(userId, '/api/log/self/search', { keyword: '100%' })).toEqual([]);
    });
  });

  it('give owners ids that differ and last, and show administrators alone which rows of the log they are', async () => {
    const userId = testBed.newUser();
    const rows = [consumed({ userId }), consumed({ userId }), consumed({ userId })];
    await testBed.publish(...rows);
    const shown = async (): Promise<number[]> => ((await own(userId)) as LogPage).items.map(({ id }) => id);
    const real = (await list({ username: nameOf(userId) })).items.map(({ id }) => id);
    const ids = await shown();
    expect([real.length, new Set(ids).size]).toEqual([3, 3]);
    expect(ids.filter((id) => real.includes(id) || !Number.isSafeInteger(id))).toEqual([]);
    expect(await shown()).toEqual(ids);
    expect((await own(userId, '/api/log/self/search', { keyword: '2' })) as Log[]).toEqual(
      ids.map((id) => expect.objectContaining({ id })),
    );
  });

  describe('by the key of a token', () => {
    const stored = (change: Partial<TokenRecord>): string => {
      const key = newKey();
      const keyHash = testBed.host.secrets.hmac('token-key', key);
      testBed.neighbours.tokens.set(keyHash, {
        id: 4711,
        userId: 1,
        keyHash,
        keyHint: 'a***z',
        name: 't',
        status: 1,
        expiredTime: -1,
        unlimitedQuota: true,
        remainQuota: 0,
        usedQuota: 0,
        modelLimitsEnabled: false,
        modelLimits: [],
        allowIps: [],
        group: '',
        revision: 1,
        ...change,
      });
      return key;
    };

    it('shows the rows of the key in the form for its owner', async () => {
      const [userId, tokenId] = [testBed.newUser(), 4711];
      const key = stored({ id: tokenId, userId });
      await testBed.publish(consumed({ userId, tokenId }), consumed({ userId, tokenId: 4712 }));

      for (const options of [
        { query: { key: `sk-${key}` } },
        { query: { key } },
        { headers: { authorization: `Bearer sk-${key}-7` } },
      ]) {
        const reply = await testBed.request<Log[]>('GET', '/api/log/token', options);
        expect(reply.headers['access-control-allow-origin']).toBe('*');
        const { data } = reply.body as { data: Log[] };
        expect(data).toEqual([expect.objectContaining({ token_id: tokenId, channel: 0, channel_name: '' })]);
        expect(data[0]?.other).not.toContain('admin_info');
        const { items } = (await own(userId)) as LogPage;
        expect(items.filter((log) => log.token_id === tokenId)).toEqual(data);
      }
    });

    it.each([
      ['switched off when it expired', { status: 3 }],
      ['expired', { expiredTime: 1000 }],
      ['used up and expired', { status: 4, expiredTime: 1000 }],
    ])('accepts a key that is %s, whose holder wants to see what it was used for', async (_, change) => {
      const key = stored({ userId: testBed.newUser(), ...change });
      expect((await testBed.request('GET', '/api/log/token', { query: { key } })).body).toMatchObject({
        success: true,
      });
    });

    it.each([
      ['disabled', { status: 2 }, '该令牌状态不可用'],
      ['meant for other addresses', { allowIps: ['192.0.2.0/24'] }, '您的 IP 不在令牌允许访问的列表中'],
    ])('refuses a key that is %s', async (_, change, message) => {
      const key = stored({ userId: testBed.newUser(), ...change });
      const reply = await testBed.request('GET', '/api/log/token', { query: { key } });
      expect(reply.body).toMatchObject({ success: false, message });
    });

    it('refuses the key of a banned user', async () => {
      const userId = testBed.newUser();
      testBed.neighbours.banned.add(userId);
      const reply = await testBed.request('GET', '/api/log/token', { query: { key: stored({ userId }) } });
      expect(reply.body).toMatchObject({ success: false, message: '用户已被封禁' });
    });

    it('accepts an exhausted key, and a key from an allowed address', async () => {
      const change = { status: 4, unlimitedQuota: false, allowIps: ['127.0.0.0/8', '::1'] };
      const key = stored({ userId: testBed.newUser(), ...change });
      expect((await testBed.request('GET', '/api/log/token', { query: { key } })).body.success).toBe(true);
    });

    it.each(['', 'sk-', 'sk-nobody', `sk-${'x'.repeat(48)}`])('refuses %p', async (key) => {
      const reply = await testBed.request('GET', '/api/log/token', { query: { key } });
      expect(reply.body).toMatchObject({ success: false, message: '无效的令牌' });
      expect(reply.headers['access-control-allow-origin']).toBe('*');
    });
  });
});
