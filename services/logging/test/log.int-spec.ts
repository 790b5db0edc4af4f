import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  adminAction,
  channelDisabled,
  listChannelHours,
  listDoubtfulRequests,
  quotaAdjusted,
  quotaGranted,
  redemptionRedeemed,
  sumChannelUsage,
  topUpCompleted,
  topUpRefunded,
  type TokenRecord,
} from '@tollgate/contracts';
import type { Log, LogStat, QuotaData } from '@tollgate/contracts/api/log';
import { hasPostgres } from '@tollgate/testing';
import { v7 } from 'uuid';
import { logging } from '../src/index.js';
import { ChannelUsageFold } from '../src/proof/channel-usage-fold.js';
import { Migration20261123090000_sum_channel_usage } from '../src/migrations/Migration20261123090000_sum_channel_usage.js';
import { consumed, type LogPage, newKey, otherOf, type Stand, startLogging } from './stand.js';

const admin = { id: 1_000_000, role: 10 } as const;

(hasPostgres() ? describe : describe.skip)('the usage log', () => {
  let stand: Stand;

  beforeAll(async () => {
    stand = await startLogging();
    stand.neighbours.names.tokens.set(9, 'my key').set(10, '100%_sure');
    stand.neighbours.names.channels.set(3, 'main').set(4, 'spare');
  }, 60_000);
  afterAll(() => stand.close());

  const list = async (query: Record<string, string | number>, path = '/api/log/'): Promise<LogPage> => {
    const reply = await stand.request<LogPage>('GET', path, { as: admin, query });
    return (reply.body as { data: LogPage }).data;
  };
  const own = async (
    userId: number,
    path = '/api/log/self',
    query: Record<string, string | number> = {},
  ): Promise<unknown> =>
    ((await stand.request('GET', path, { as: { id: userId }, query })).body as { data: unknown }).data;
  const nameOf = (userId: number): string => stand.neighbours.names.users.get(userId) ?? '';
  const hourNow = (): number => Math.floor(Date.now() / 3_600_000) * 3600;

  it('writes one row and one count for a batch that comes twice', async () => {
    const userId = stand.newUser();
    const batch = [consumed({ userId }), consumed({ userId, quota: 5 })];
    await stand.publishBatch(batch);
    await stand.publishBatch([...batch, ...batch]);

    const page = await list({ username: nameOf(userId) });
    expect(page.total).toBe(2);
    const data = (await own(userId, '/api/data/self')) as QuotaData[];
    expect(data).toEqual([
      expect.objectContaining({
        user_id: userId,
        username: nameOf(userId),
        model_name: 'gpt-4o',
        count: 2,
        quota: 230,
        token_used: 240,
      }),
    ]);
  });

  it('takes a request that was recovered with another end for the same one', async () => {
    const userId = stand.newUser();
    const event = consumed({ userId });
    await stand.publish(event);
    await stand.publish(consumed({ userId, outcome: 'interrupted', durationMs: 100, quota: 1 }, event.id));

    const page = await list({ username: nameOf(userId) });
    expect(page.items.map(({ quota }) => quota)).toEqual([225]);
  });

  it('stores the columns of the reference and names as they are then', async () => {
    const userId = stand.newUser();
    const event = consumed({ userId, upstreamModel: 'gpt-4o-2024', reasoningEffort: 'low', durationMs: 2_900 });
    await stand.publish(event);

    const [log] = (await list({ username: nameOf(userId) })).items;
    expect(log).toMatchObject({
      user_id: userId,
      type: 2,
      created_at: Math.floor((Date.parse(event.data.startedAt) + 2_900) / 1000),
      content: '模型倍率 1.25，补全倍率 4.00，分组倍率 1.00',
      username: nameOf(userId),
      token_name: 'my key',
      model_name: 'gpt-4o',
      quota: 225,
      prompt_tokens: 100,
      completion_tokens: 20,
      use_time: 2,
      is_stream: true,
      channel: 3,
      channel_name: 'main',
      token_id: 9,
      group: 'default',
    });
    expect(otherOf(log)).toEqual({
      model_ratio: 1.25,
      group_ratio: 1,
      user_group_ratio: -1,
      completion_ratio: 4,
      cache_tokens: 0,
      cache_ratio: 0.5,
      model_price: -1,
      frt: 300,
      is_model_mapped: true,
      upstream_model_name: 'gpt-4o-2024',
      reasoning_effort: 'low',
      request_id: event.id,
      price_version: 'v1',
      usage_source: 'upstream',
      outcome: 'completed',
      admin_info: { use_channel: ['3'] },
    });
  });

  it('asks for the names of a batch once', async () => {
    const before = { ...stand.neighbours.asked };
    const userId = stand.newUser();
    stand.neighbours.names.tokens.set(77, 'seventy-seven');
    stand.neighbours.names.channels.set(78, 'seventy-eight');
    await stand.publishBatch(Array.from({ length: 50 }, () => consumed({ userId, tokenId: 77, channelId: 78 })));
    expect(stand.neighbours.asked).toEqual({
      users: before.users + 1,
      tokens: before.tokens + 1,
      channels: before.channels + 1,
      prices: before.prices,
    });
  });

  it('keeps the playground apart by its group', async () => {
    const userId = stand.newUser();
    await stand.publish(consumed({ userId, tokenId: 0, group: 'vip' }));
    expect((await list({ username: nameOf(userId) })).items[0]).toMatchObject({
      token_name: 'playground-vip',
      token_id: 0,
    });
  });

  it('waits for names while their owner is down, and then writes', async () => {
    const userId = stand.newUser();
    stand.neighbours.down = true;
    const published = stand.publish(consumed({ userId }));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await list({ username: nameOf(userId) })).total).toBe(0);
    stand.neighbours.down = false;
    await published;
    expect((await list({ username: nameOf(userId) })).total).toBe(1);
  });

  describe('failed requests', () => {
    it('are rows of type 5 that never count as quota', async () => {
      const userId = stand.newUser();
      const error = { status: 429, code: 'rate_limit_exceeded', type: 'rate_limit', message: '上游限流' };
      const attempts = [
        { channelId: 3, channelType: 1, class: 'rate-limited', status: 429, durationMs: 20, message: 'slow down' },
        { channelId: 4, channelType: 1, class: 'network', status: 0, durationMs: 30 },
      ] as const;
      await stand.publish(
        consumed({
          userId,
          outcome: 'failed',
          quota: 999,
          error,
          attempts: [...attempts],
          channelId: 4,
          firstTokenMs: undefined,
        }),
      );

      const [log] = (await list({ username: nameOf(userId), type: 5 })).items;
      expect(log).toMatchObject({ type: 5, quota: 0, content: '上游限流', channel: 4, channel_name: 'spare' });
      expect(otherOf(log)).toMatchObject({
        error_type: 'rate_limit',
        error_code: 'rate_limit_exceeded',
        status_code: 429,
        frt: -1000,
        outcome: 'failed',
        admin_info: {
          use_channel: ['3', '4'],
          attempts: [{ channel_id: 3, class: 'rate-limited', message: 'slow down' }, { channel_id: 4 }],
        },
      });
      expect(await own(userId, '/api/log/self/stat')).toEqual({ quota: 0, rpm: 0, tpm: 0 });
      expect(await own(userId, '/api/data/self')).toEqual([]);
    });

    it('tell their owner nothing about channels', async () => {
      const userId = stand.newUser();
      const attempts = [{ channelId: 3, channelType: 1, class: 'upstream' as const, status: 500, durationMs: 20 }];
      await stand.publish(
        consumed({ userId, outcome: 'failed', quota: 0, attempts, error: { status: 500, code: 'x', message: 'm' } }),
      );
      const { items } = (await own(userId)) as LogPage;
      expect(items[0]).toMatchObject({ channel: 0, channel_name: '', type: 5 });
      expect(Object.keys(otherOf(items[0]))).not.toContain('admin_info');
      expect(otherOf(items[0])).toMatchObject({ status_code: 500 });
    });
  });

  describe('what readers see', () => {
    it('is everything for an administrator, and for a user only own rows without channels', async () => {
      const [userId, other] = [stand.newUser(), stand.newUser()];
      await stand.publish(consumed({ userId }), consumed({ userId: other }));
      const { items, total } = (await own(userId, '/api/log/self/', {
        username: nameOf(other),
        channel: 999,
      })) as LogPage;
      expect(total).toBe(1);
      expect(items[0]).toMatchObject({ user_id: userId, channel: 0, channel_name: '' });
      expect(items[0]?.other).not.toContain('admin_info');
      expect(otherOf(items[0])).toMatchObject({ model_ratio: 1.25 });
    });

    it.each(['/api/log/', '/api/log/stat', '/api/log/search', '/api/data/'])(
      '%s is refused to a user',
      async (path) => {
        const reply = await stand.request('GET', path, { as: { id: 5 } });
        expect(reply.body).toMatchObject({ success: false, kind: 'forbidden' });
      },
    );
  });

  describe('filters', () => {
    const at = 1_700_000_000; // in no partition of its own
    let names: Record<'a' | 'b', string>;
    beforeAll(async () => {
      const [a, b] = [stand.newUser(), stand.newUser()];
      names = { a: nameOf(a), b: nameOf(b) };
      const row = (userId: number, seconds: number, change: object) =>
        consumed({
          userId,
          startedAt: new Date(seconds * 1000).toISOString(),
          durationMs: 0,
          group: 'filters',
          ...change,
        });
      await stand.publish(
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
      const { data } = (await stand.request<LogStat>('GET', '/api/log/stat', { as: admin, query })).body as {
        data: LogStat;
      };
      if (filter.type === undefined) expect(data.quota).toBe(quotas.reduce((sum, quota) => sum + quota, 0));
    });

    it('pages from 1, with both spellings of the first and of the size', async () => {
      const quotas = async (query: Record<string, string | number>): Promise<number[]> =>
        (await list({ group: 'filters', ...query })).items.map(({ quota }) => quota);
      expect(await quotas({ p: 1, page_size: 3 })).toEqual([0, 4, 2]);
      expect(await quotas({ p: 0, size: 3 })).toEqual([0, 4, 2]);
      expect(await quotas({ p: 2, page_size: 3 })).toEqual([1]);
      expect(await quotas({ p: 1_000_000, page_size: 100 })).toEqual([]);
      expect(await list({ group: 'filters', p: 2, page_size: 3 })).toMatchObject({ total: 4, page: 2, page_size: 3 });
    });

    it('finds a request by its id', async () => {
      const event = consumed({ userId: stand.newUser() });
      await stand.publish(event);
      const page = await list({ request_id: event.id });
      expect(page.items.map((log) => otherOf(log).request_id)).toEqual([event.id]);
    });

    it('refuses a text with a NUL instead of failing', async () => {
      const reply = await stand.request('GET', '/api/log/', { as: admin, query: { model_name: 'a\0b' } });
      expect(reply.body).toMatchObject({ success: false, kind: 'invalid', message: '无效的参数' });
    });
  });

  describe('totals', () => {
    it('count the last 60 seconds for rpm and tpm, whatever the time filter says', async () => {
      const userId = stand.newUser();
      const old = new Date(Date.now() - 300_000).toISOString();
      await stand.publish(
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

    it('follow the type: only consumption costs', async () => {
      const userId = stand.newUser();
      await stand.publish(consumed({ userId }), consumed({ userId, outcome: 'failed', quota: 0 }));
      const quotaOf = async (query: Record<string, number>): Promise<unknown> =>
        own(userId, '/api/log/self/stat', query);
      const all = { quota: 225, rpm: 1, tpm: 120 };
      expect(await quotaOf({ type: 0 })).toEqual(all);
      expect(await quotaOf({ type: 2 })).toEqual(all);
      for (const type of [1, 3, 5]) expect(await quotaOf({ type })).toEqual({ quota: 0, rpm: 0, tpm: 0 });
    });

    it('cut hours at both ends to the second, and count what no dashboard counts', async () => {
      const userId = stand.newUser();
      const start = Date.UTC(2024, 4, 1) / 1000;
      const endingAt = (second: number) =>
        consumed({ userId, startedAt: new Date((start + second) * 1000).toISOString(), durationMs: 0 });
      stand.setOptions({ DataExportEnabled: 'false' });
      await stand.publish(...[0, 3599, 3600, 7199, 7200, 9000].map(endingAt));
      stand.setOptions({});
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
      const userId = stand.newUser();
      await stand
        .em()
        .execute(
          `insert into "log" ("created_at", "event_id", "user_id", "type", "username", "group") select 1500000000 + n, gen_random_uuid(), ?, 2, ?, 'crowd' from generate_series(1, 30000) as n`,
          [userId, nameOf(userId)],
        );
      await stand.em().execute('analyze "log"');
      const { total } = await list({ group: 'crowd' });
      expect(total).toBeGreaterThan(25_000);
      expect(total).toBeLessThan(35_000);
      expect((await list({ group: 'crowd', end_timestamp: 1_500_000_000 + 10_000 })).total).toBe(10_000);
    });

    it('of several filters are exact over few rows, and a share of the newest ones over many', async () => {
      const userId = stand.newUser();
      await stand.em().execute(
        `insert into "log" ("created_at", "event_id", "user_id", "type", "username", "group", "model_name", "channel_id")
         select 1400000000 + n, gen_random_uuid(), ?, 2, ?, 'flock', 'model' || n % 3, n % 2 from generate_series(1, 30000) as n`,
        [userId, nameOf(userId)],
      );
      await stand.em().execute('analyze "log"');
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
    it('finds content by its literal beginning, and rows of a type', async () => {
      const userId = stand.newUser();
      const text = "100%_off\\ for 'you'";
      await stand.publish(stand.newEvent(adminAction, { actorId: 1, action: 'note', subject: 'user:1', userId, text }));
      const search = async (keyword: string): Promise<Log[]> =>
        (
          (await stand.request<Log[]>('GET', '/api/log/search', { as: admin, query: { keyword } })).body as {
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

  describe('by API key', () => {
    const stored = (change: Partial<TokenRecord>): string => {
      const key = newKey();
      const keyHash = stand.host.secrets.hmac('token-key', key);
      stand.neighbours.tokens.set(keyHash, {
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

    it('shows the rows of the key as its owner sees them', async () => {
      const [userId, tokenId] = [stand.newUser(), 4711];
      const key = stored({ id: tokenId, userId });
      await stand.publish(consumed({ userId, tokenId }), consumed({ userId, tokenId: 4712 }));

      for (const options of [
        { query: { key: `sk-${key}` } },
        { query: { key } },
        { headers: { authorization: `Bearer sk-${key}-7` } },
      ]) {
        const reply = await stand.request<Log[]>('GET', '/api/log/token', options);
        expect(reply.headers['access-control-allow-origin']).toBe('*');
        const { data } = reply.body as { data: Log[] };
        expect(data).toEqual([expect.objectContaining({ token_id: tokenId, channel: 0, channel_name: '' })]);
        expect(data[0]?.other).not.toContain('admin_info');
      }
    });

    it.each([
      ['disabled', { status: 2 }, '该令牌状态不可用'],
      ['switched off when it expired', { status: 3 }, '该令牌已过期'],
      ['expired', { expiredTime: 1000 }, '该令牌已过期'],
      ['used up and expired', { status: 4, expiredTime: 1000 }, '该令牌已过期'],
      ['meant for other addresses', { allowIps: ['192.0.2.0/24'] }, '您的 IP 不在令牌允许访问的列表中'],
    ])('refuses a key that is %s', async (_, change, message) => {
      const key = stored({ userId: stand.newUser(), ...change });
      const reply = await stand.request('GET', '/api/log/token', { query: { key } });
      expect(reply.body).toMatchObject({ success: false, message });
    });

    it('refuses the key of somebody who is banned', async () => {
      const userId = stand.newUser();
      stand.neighbours.banned.add(userId);
      const reply = await stand.request('GET', '/api/log/token', { query: { key: stored({ userId }) } });
      expect(reply.body).toMatchObject({ success: false, message: '用户已被封禁' });
    });

    it('shows what a key was used up for, and takes it from where it may be used', async () => {
      const change = { status: 4, unlimitedQuota: false, allowIps: ['127.0.0.0/8', '::1'] };
      const key = stored({ userId: stand.newUser(), ...change });
      expect((await stand.request('GET', '/api/log/token', { query: { key } })).body.success).toBe(true);
    });

    it.each(['', 'sk-', 'sk-nobody', `sk-${'x'.repeat(48)}`])('refuses %p', async (key) => {
      const reply = await stand.request('GET', '/api/log/token', { query: { key } });
      expect(reply.body).toMatchObject({ success: false, message: '无效的令牌' });
      expect(reply.headers['access-control-allow-origin']).toBe('*');
    });
  });

  describe('rows about accounts', () => {
    it('tells of codes, payments and refunds as rows of their type', async () => {
      const userId = stand.newUser();
      const order = { userId, orderId: 3, tradeNo: 'USR3NOabcdef1', provider: 'epay', method: 'alipay' } as const;
      const paid = { ...order, quota: 500_000, quotaText: '＄1.000000 额度', money: '7.30', currency: 'CNY' };
      const redeemed = stand.newEvent(redemptionRedeemed, {
        userId,
        redemptionId: 9,
        quota: 500,
        quotaText: '500 点额度',
      });
      await stand.publish(
        redeemed,
        redeemed,
        stand.newEvent(topUpCompleted, paid),
        stand.newEvent(topUpRefunded, { ...paid, actorId: 1, reason: 'asked' }),
      );
      const { items } = (await own(userId)) as LogPage;
      expect(items.map(({ type, content }) => [type, content]).sort()).toEqual([
        [1, '使用在线充值成功，充值金额: ＄1.000000 额度，支付金额：7.300000'],
        [1, '通过兑换码充值 500 点额度，兑换码ID 9'],
        [3, '管理员退款，订单 USR3NOabcdef1，退回额度: ＄1.000000 额度，退款金额：7.300000'],
      ]);
    });

    it('tell of gifts and of administrators, once each', async () => {
      const [userId, inviter] = [stand.newUser(), stand.newUser()];
      const quotaText = '＄1.000000 额度';
      const gift = stand.newEvent(quotaGranted, { userId, code: 'new-user-gift', quota: 5, quotaText });
      await stand.publish(
        gift,
        gift,
        stand.newEvent(quotaGranted, { userId, code: 'invitee-gift', quota: 5, quotaText }),
        stand.newEvent(quotaGranted, { userId: inviter, code: 'inviter-reward', quota: 5, quotaText }),
        stand.newEvent(quotaAdjusted, {
          userId,
          actorId: 1,
          before: 5,
          after: 9,
          beforeText: '＄0.000010 额度',
          afterText: '＄0.000018 额度',
        }),
      );
      const { items } = (await own(userId)) as LogPage;
      expect(items.map(({ type, content, quota }) => [type, content, quota]).sort()).toEqual([
        [3, '管理员将用户额度从 ＄0.000010 额度修改为 ＄0.000018 额度', 0],
        [4, '使用邀请码赠送 ＄1.000000 额度', 0],
        [4, '新用户注册赠送 ＄1.000000 额度', 0],
      ]);
      expect(((await own(inviter)) as LogPage).items.map(({ content }) => content)).toEqual([
        '邀请用户赠送 ＄1.000000 额度',
      ]);
    });

    it('keep every administrative action for ever, once, with before and after', async () => {
      const userId = stand.newUser();
      const action = stand.newEvent(adminAction, {
        actorId: 1,
        action: 'user-update',
        subject: `user:${userId}`,
        before: { group: 'a' },
        after: { group: 'b' },
      });
      const disabled = stand.newEvent(channelDisabled, {
        channelId: userId,
        name: 'c',
        automatic: true,
        reason: 'bad key',
      });
      const manual = stand.newEvent(channelDisabled, { channelId: userId, name: 'c', automatic: false, reason: '' });
      await stand.publish(action, action, disabled, manual);

      const em = stand.em();
      const rows = await em.execute(
        `select actor_id, action, "before", "after" from audit_entry where subject in (?, ?) order by happened_at, event_id`,
        [`user:${userId}`, `channel:${userId}`],
      );
      expect(rows).toEqual([
        { actor_id: 1, action: 'user-update', before: { group: 'a' }, after: { group: 'b' } },
        { actor_id: null, action: 'channel-disabled', before: null, after: { name: 'c', reason: 'bad key' } },
      ]);
      expect((await list({ username: nameOf(userId) })).total).toBe(0);
      await expect(em.execute(`delete from audit_entry`)).rejects.toThrow('append-only');
      await expect(em.execute(`update audit_entry set actor_id = 2`)).rejects.toThrow('append-only');
    });
  });

  describe('switches', () => {
    afterAll(() => stand.setOptions({}));

    it('write no consumption and no hours without LogConsumeEnabled, but failures', async () => {
      const userId = stand.newUser();
      stand.setOptions({ LogConsumeEnabled: 'false' });
      await stand.publish(consumed({ userId }), consumed({ userId, outcome: 'failed', quota: 0 }));
      stand.setOptions({});
      const { items } = (await own(userId)) as LogPage;
      expect(items.map(({ type }) => type)).toEqual([5]);
      expect(await own(userId, '/api/data/self')).toEqual([]);
    });

    it('write rows but no hours without DataExportEnabled', async () => {
      const userId = stand.newUser();
      stand.setOptions({ DataExportEnabled: 'false' });
      await stand.publish(consumed({ userId }));
      stand.setOptions({});
      expect(((await own(userId)) as LogPage).total).toBe(1);
      expect(await own(userId, '/api/data/self')).toEqual([]);
    });
  });

  it('survives what PostgreSQL cannot store', async () => {
    const userId = stand.newUser();
    await stand.publishBatch([
      consumed({ userId, model: 'nul\0model' }),
      consumed({ userId, model: 'nulmodel' }),
      consumed({ userId, outcome: 'failed', error: { status: 500, code: 'c', message: `half \ud83d and \0 ? \\ '` } }),
    ]);
    const { items } = (await own(userId)) as LogPage;
    expect(items.map(({ type }) => type).sort()).toEqual([2, 2, 5]);
    expect(items.find(({ type }) => type === 5)?.content).toBe(`half \ufffd and \ufffd ? \\ '`);
    const hours = (await own(userId, '/api/data/self')) as { model_name: string; count: number }[];
    expect(hours.map(({ model_name, count }) => [model_name, count]).sort()).toEqual([
      ['nulmodel', 1],
      ['nul\ufffdmodel', 1],
    ]);
  });

  describe('the dashboard', () => {
    it('adds up users by model and hour for administrators, and shows one user raw', async () => {
      const [a, b] = [stand.newUser(), stand.newUser()];
      const model = `dash-${a}`;
      await stand.publish(
        consumed({ userId: a, model }),
        consumed({ userId: b, model }),
        consumed({ userId: b, model }),
      );
      const data = async (query: Record<string, string | number>): Promise<QuotaData[]> =>
        (
          (await stand.request<QuotaData[]>('GET', '/api/data/', { as: admin, query })).body as { data: QuotaData[] }
        ).data.filter((row) => row.model_name === model);
      const span = { start_timestamp: hourNow() - 3600, end_timestamp: hourNow() + 3600, default_time: 'hour' };
      const all = await data(span);
      expect(all.reduce((sum, row) => sum + row.count, 0)).toBe(3);
      expect(all[0]).toMatchObject({ id: 0, user_id: 0, username: '', model_name: model });
      expect(all.every((row) => row.created_at % 3600 === 0)).toBe(true);
      const raw = await data({ ...span, username: nameOf(b) });
      expect(raw.reduce((sum, row) => sum + row.quota, 0)).toBe(450);
      expect(raw[0]).toMatchObject({ user_id: b, username: nameOf(b) });
      expect(raw[0]?.id).toBeGreaterThan(0);
      expect(await data({ start_timestamp: hourNow() - 90_000, end_timestamp: hourNow() - 7_200 })).toEqual([]);
    });

    it('allows a user 31 days and no more', async () => {
      const now = Math.floor(Date.now() / 1000);
      const ask = (days: number) =>
        stand.request('GET', '/api/data/self/', {
          as: { id: 5 },
          query: { start_timestamp: now - days * 86_400, end_timestamp: now },
        });
      expect((await ask(31)).body.success).toBe(true);
      expect((await ask(32)).body).toMatchObject({ success: false, message: '时间跨度不能超过 1 个月' });
    });

    it('knows how each channel did in each hour', async () => {
      const userId = stand.newUser();
      const [good, bad] = [900_001, 900_002];
      const ok = { channelId: good, channelType: 1, class: 'ok', status: 200, durationMs: 5 } as const;
      const broken = { channelId: bad, channelType: 1, class: 'upstream', status: 500, durationMs: 5 } as const;
      const invalid = { channelId: bad, channelType: 1, class: 'invalid', status: 400, durationMs: 5 } as const;
      const retried = consumed({ userId, channelId: good, attempts: [broken, ok], firstTokenMs: 90 });
      const failed = consumed({
        userId,
        channelId: bad,
        attempts: [broken],
        outcome: 'failed',
        firstTokenMs: undefined,
      });
      const refused = consumed({
        userId,
        channelId: bad,
        attempts: [invalid],
        outcome: 'failed',
        firstTokenMs: undefined,
      });
      const cut = consumed({ userId, channelId: good, attempts: [ok], outcome: 'upstream_cut', firstTokenMs: 2_900 });
      await stand.publishBatch([retried, failed]);
      await stand.publish(retried, refused, cut);

      const { hours } = await stand.internal(listChannelHours, {
        channelIds: [good, bad],
        from: hourNow() - 3600,
        to: hourNow() + 3600,
      });
      const sums = (channelId: number) =>
        hours
          .filter((hour) => hour.channelId === channelId)
          .reduce((sum, hour) => [sum[0]! + hour.requests, sum[1]! + hour.failures], [0, 0]);
      expect(sums(good)).toEqual([2, 1]);
      expect(sums(bad)).toEqual([3, 2]);
      // The one that was cut took no time worth a mean.
      expect(hours.flatMap(({ durationMs }) => durationMs ?? [])).toEqual([5]);
      expect(hours.find(({ channelId }) => channelId === good)?.firstTokenP50Ms).toBe(100);
      expect(hours.filter((hour) => hour.channelId === bad).every((hour) => hour.firstTokenP95Ms === undefined)).toBe(
        true,
      );
      expect(Math.max(...hours.map((hour) => hour.firstTokenP95Ms ?? 0))).toBeGreaterThan(2_500);
    });
  });

  it('sums what the requests of channels used, and names those that their provider may count otherwise', async () => {
    const userId = stand.newUser();
    const usage = {
      semantics: 'anthropic',
      inputTokens: 50,
      cacheReadTokens: 30,
      cacheWriteTokens: 20,
      outputTokens: 7,
    } as const;
    const noon = Date.parse('2026-03-10T12:00:00Z');
    const at = (time: number, more: Parameters<typeof consumed>[0]) =>
      consumed(
        { ...{ model: 'fast', channelId: 71, startedAt: new Date(time).toISOString() }, ...more },
        v7({ msecs: time }),
      );
    const ok = { channelType: 1, class: 'ok', status: 200, durationMs: 1 } as const;
    const failed = { channelType: 1, class: 'upstream', status: 500, durationMs: 1 } as const;
    const plain = at(noon, { userId, upstreamModel: 'sent-1', usage });
    const guessed = at(noon + 1, {
      userId,
      upstreamModel: 'sent-1',
      usageSource: 'estimated',
      outcome: 'client_abort',
    });
    const elsewhere = at(noon + 2, {
      ...{ userId, upstreamModel: 'sent-1', channelId: 72 },
      attempts: [
        { channelId: 71, ...failed },
        { channelId: 72, ...ok },
      ],
    });
    // Seven in the evening before, in California.
    const late = at(Date.parse('2026-03-11T02:00:00Z'), { userId });
    await stand.publish(plain, guessed, elsewhere, late);

    const asked = { channelIds: [71], firstDay: '2026-03-10', lastDay: '2026-03-10' };
    const { sums } = await stand.internal(sumChannelUsage, { ...asked, zone: 'UTC' });
    expect(sums).toEqual([
      ...[
        {
          day: '2026-03-10',
          model: 'fast',
          channelId: 71,
          sent: 'sent-1',
          source: 'estimated',
          requests: 1,
          input: 100,
          cached: 0,
          output: 20,
        },
      ],
      ...[
        {
          day: '2026-03-10',
          model: 'fast',
          channelId: 71,
          sent: 'sent-1',
          source: 'upstream',
          requests: 1,
          input: 100,
          cached: 30,
          output: 7,
        },
      ],
    ]);
    const there = await stand.internal(sumChannelUsage, { ...asked, zone: 'America/Los_Angeles' });
    expect(there.sums.reduce((all, { requests }) => all + requests, 0)).toBe(3);

    // Days that the sums do not hold whole are added up from rows, whatever the sums say of them, and never compared.
    const startOn = (day: string) => stand.em().execute(`update "channel_usage_start" set "first_day" = ?`, [day]);
    const both = { channelIds: [71], firstDay: '2026-03-10', lastDay: '2026-03-11', zone: 'UTC' as const };
    const all = await stand.internal(sumChannelUsage, both);
    expect(all.sums.map(({ day, requests }) => [day, requests])).toEqual([
      ['2026-03-10', 1],
      ['2026-03-10', 1],
      ['2026-03-11', 1],
    ]);
    for (const day of ['2026-03-10', '2026-03-11', '2026-03-12']) {
      await startOn(day);
      expect(await stand.internal(sumChannelUsage, both)).toEqual(all);
    }
    await stand.em().execute(`update "channel_usage" set "input" = "input" + 1 where "channel_id" = 71`);
    expect(await stand.internal(sumChannelUsage, both)).toEqual(all);
    const check = logging.database?.checks?.find(({ store }) => store === 'logging.channel_usage')?.query ?? '';
    const [from, to] = [Date.parse('2026-03-01') / 1000, Date.parse('2026-04-01') / 1000];
    // Rows that other tests made with ids at random lie on any day.
    const faults = async () =>
      (
        await stand
          .em()
          .execute<{ subject: string }[]>(check.replaceAll(':from', String(from)).replaceAll(':to', String(to)))
      ).filter(({ subject }) => subject.startsWith('usage of channel 71 ')).length;
    expect(await faults()).toBe(0);
    await startOn('2026-03-11');
    expect(await faults()).toBe(1);
    expect((await stand.internal(sumChannelUsage, both)).sums.map(({ input }) => input)).toEqual(
      all.sums.map(({ day, input }) => input + (day === '2026-03-11' ? 1 : 0)),
    );
    await startOn('-infinity');
    // Rows of connections are one once the day is over, and say what they said.
    const summed = await stand.internal(sumChannelUsage, both);
    await stand.em()
      .execute(`insert into "channel_usage" select distinct "channel_id", "zone", "day", "model", "sent", "source", s, 0, 1, 0, 1
      from "channel_usage", generate_series(8, 10) s where "channel_id" = 71`);
    await stand.inContext(() => stand.get(ChannelUsageFold).fold(2));
    const shards = await stand
      .em()
      .execute(`select distinct "shard"::int as "shard" from "channel_usage" where "channel_id" = 71`);
    expect(shards).toEqual([{ shard: 0 }]);
    expect((await stand.internal(sumChannelUsage, both)).sums).toEqual(
      summed.sums.map((sum) => ({ ...sum, input: sum.input + 3, output: sum.output + 3 })),
    );

    const found = await stand.internal(listDoubtfulRequests, {
      ...{ channelIds: [71], day: '2026-03-10', zone: 'UTC', models: ['sent-1'], limit: 10 },
    });
    expect(found.total).toBe(2);
    const doubts = new Map(found.requests.map((row) => [row.request_id, row.doubts]));
    expect(doubts.get(guessed.id)).toEqual(['estimated', 'cancelled']);
    expect(doubts.get(elsewhere.id)).toEqual(['retried']);
  });

  it('begins to sum with the first whole day where the log has rows, and reads none of them for it', async () => {
    await stand.publish(consumed({ userId: stand.newUser() }));
    const em = stand.em();
    const migration = new Migration20261123090000_sum_channel_usage(em.getDriver(), em.config);
    migration.up();
    await em.begin();
    try {
      for (const query of migration.getQueries()) await em.execute(query);
      const found =
        await em.execute(`select "zone", "first_day"::text as "day", (select count(*) from "channel_usage") as "held"
        from "channel_usage_start" order by 1`);
      const dayIn = (timeZone: string) =>
        new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(Date.now() + 86_400_000);
      const zones = ['America/Los_Angeles', 'UTC'];
      expect(found).toEqual(zones.map((zone) => ({ zone, day: dayIn(zone), held: '0' })));
    } finally {
      await em.rollback();
    }
  });
});
