import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  adminAction,
  channelDisabled,
  findRequest,
  listChannelHours,
  listDoubtfulRequests,
  quotaAdjusted,
  quotaGranted,
  redemptionRedeemed,
  sumChannelUsage,
  topUpCompleted,
  topUpRefunded,
} from '@tollgate/contracts';
import type { QuotaData } from '@tollgate/contracts/api/log';
import { hasPostgres } from '@tollgate/testing';
import { v7 } from 'uuid';
import { logging } from '../src/index.js';
import { ChannelUsageFold } from '../src/proof/channel-usage-fold.js';
import { Migration20261123090000_sum_channel_usage } from '../src/migrations/Migration20261123090000_sum_channel_usage.js';
import { admin, hourNow, type LogDesk, openLogDesk } from './log-desk.js';
import { consumed, type LogPage } from './test-bed.js';

(hasPostgres() ? describe : describe.skip)('sums over the usage log', () => {
  let testBed: LogDesk['testBed'];
  let list: LogDesk['list'];
  let own: LogDesk['own'];
  let nameOf: LogDesk['nameOf'];

  beforeAll(async () => {
    ({ testBed, list, own, nameOf } = await openLogDesk());
  }, 60_000);
  afterAll(() => testBed.close());

  describe('rows about accounts and money', () => {
    it('show codes, payments and refunds by their type', async () => {
      const userId = testBed.newUser();
      const order = { userId, orderId: 3, tradeNo: 'USR3NOabcdef1', provider: 'epay', method: 'alipay' } as const;
      const paid = { ...order, quota: 500_000, quotaText: '＄1.000000 额度', money: '7.30', currency: 'CNY' };
      const redeemed = testBed.newEvent(redemptionRedeemed, {
        userId,
        redemptionId: 9,
        quota: 500,
        quotaText: '500 点额度',
      });
      await testBed.publish(
        redeemed,
        redeemed,
        testBed.newEvent(topUpCompleted, paid),
        testBed.newEvent(topUpRefunded, { ...paid, actorId: 1, reason: 'asked' }),
      );
      const { items } = (await own(userId)) as LogPage;
      expect(items.map(({ type, content }) => [type, content]).sort()).toEqual([
        [1, '使用在线充值成功，充值金额: ＄1.000000 额度，支付金额：7.300000'],
        [1, '通过兑换码充值 500 点额度，兑换码ID 9'],
        [3, '管理员退款，订单 USR3NOabcdef1，退回额度: ＄1.000000 额度，退款金额：7.300000'],
      ]);
    });

    it('show gifts and administrative changes, once each', async () => {
      const [userId, inviter] = [testBed.newUser(), testBed.newUser()];
      const quotaText = '＄1.000000 额度';
      const gift = testBed.newEvent(quotaGranted, { userId, code: 'new-user-gift', quota: 5, quotaText });
      await testBed.publish(
        gift,
        gift,
        testBed.newEvent(quotaGranted, { userId, code: 'invitee-gift', quota: 5, quotaText }),
        testBed.newEvent(quotaGranted, { userId: inviter, code: 'inviter-reward', quota: 5, quotaText }),
        testBed.newEvent(quotaAdjusted, {
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

    it('store the place of their event in the event log, the first place of a repeated event', async () => {
      const userId = testBed.newUser();
      const gift = testBed.newEvent(quotaGranted, { userId, code: 'new-user-gift', quota: 5, quotaText: '5 点额度' });
      const change = { actorId: 1, subject: 'token:4', userId, before: {}, after: {} };
      const budget = testBed.newEvent(adminAction, { ...change, action: 'token-budget' });
      const other = testBed.newEvent(adminAction, { ...change, action: 'token-update' });
      const request = consumed({ userId });
      const placeOf = async ({ id }: { id: string }) => (await testBed.internal(findRequest, { requestId: id })).place;
      const endsOf = async (topic: string) => (await testBed.host.eventLog.ends([topic]))[topic] ?? {};
      /** Publishes an event and returns its partition and offset. */
      const published = async (event: typeof gift | typeof budget) => {
        const before = await endsOf(event.type);
        await testBed.publish(event);
        const ends = Object.entries(await endsOf(event.type));
        const partition = Number(ends.find(([name, end]) => end > (before[Number(name)] ?? 0n))?.[0]);
        return { topic: event.type, partition, offset: Number(before[partition] ?? 0n) };
      };
      for (const event of [gift, budget]) {
        const place = await published(event);
        expect(await placeOf(event)).toEqual(place);
        await testBed.publish(event);
        expect(await placeOf(event)).toEqual(place);
      }
      await testBed.publish(other, request);
      // The journal contains the place of requests, and other admin actions move nothing.
      expect([await placeOf(other), await placeOf(request)]).toEqual([null, null]);
    });

    it('keep every administrative action permanently, once, with before and after', async () => {
      const userId = testBed.newUser();
      const action = testBed.newEvent(adminAction, {
        actorId: 1,
        action: 'user-update',
        subject: `user:${userId}`,
        before: { group: 'a' },
        after: { group: 'b' },
      });
      const disabled = testBed.newEvent(channelDisabled, {
        channelId: userId,
        name: 'c',
        automatic: true,
        reason: 'bad key',
      });
      const manual = testBed.newEvent(channelDisabled, { channelId: userId, name: 'c', automatic: false, reason: '' });
      await testBed.publish(action, action, disabled, manual);

      const em = testBed.em();
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

  describe('the dashboard', () => {
    it('sums users by model and hour for administrators, and shows a single user unsummed', async () => {
      const [a, b] = [testBed.newUser(), testBed.newUser()];
      const model = `dash-${a}`;
      await testBed.publish(
        consumed({ userId: a, model }),
        consumed({ userId: b, model }),
        consumed({ userId: b, model }),
      );
      const data = async (query: Record<string, string | number>): Promise<QuotaData[]> =>
        (
          (await testBed.request<QuotaData[]>('GET', '/api/data/', { as: admin, query })).body as { data: QuotaData[] }
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

    it('allows users at most 31 days', async () => {
      const now = Math.floor(Date.now() / 1000);
      const ask = (days: number) =>
        testBed.request('GET', '/api/data/self/', {
          as: { id: 5 },
          query: { start_timestamp: now - days * 86_400, end_timestamp: now },
        });
      expect((await ask(31)).body.success).toBe(true);
      expect((await ask(32)).body).toMatchObject({ success: false, message: '时间跨度不能超过 1 个月' });
    });

    it('shows requests and errors of each channel by hour', async () => {
      const userId = testBed.newUser();
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
      await testBed.publishBatch([retried, failed]);
      await testBed.publish(retried, refused, cut);

      const { hours } = await testBed.internal(listChannelHours, {
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
      // The attempt that was cut off does not count in the mean duration.
      expect(hours.flatMap(({ durationMs }) => durationMs ?? [])).toEqual([5]);
      expect(hours.find(({ channelId }) => channelId === good)?.firstTokenP50Ms).toBe(100);
      expect(hours.filter((hour) => hour.channelId === bad).every((hour) => hour.firstTokenP95Ms === undefined)).toBe(
        true,
      );
      expect(Math.max(...hours.map((hour) => hour.firstTokenP95Ms ?? 0))).toBeGreaterThan(2_500);
    });
  });

  it('sums the usage of channels, and marks requests that the provider may count differently', async () => {
    const userId = testBed.newUser();
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
    // Seven o'clock on the previous evening in California.
    const late = at(Date.parse('2026-03-11T02:00:00Z'), { userId });
    await testBed.publish(plain, guessed, elsewhere, late);

    const asked = { channelIds: [71], firstDay: '2026-03-10', lastDay: '2026-03-10' };
    const { sums } = await testBed.internal(sumChannelUsage, { ...asked, zone: 'UTC' });
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
    const there = await testBed.internal(sumChannelUsage, { ...asked, zone: 'America/Los_Angeles' });
    expect(there.sums.reduce((all, { requests }) => all + requests, 0)).toBe(3);

    // Days without complete sums are summed from rows, whatever the sums contain, and are not checked.
    const startOn = (day: string) => testBed.em().execute(`update "channel_usage_start" set "first_day" = ?`, [day]);
    const both = { channelIds: [71], firstDay: '2026-03-10', lastDay: '2026-03-11', zone: 'UTC' as const };
    const all = await testBed.internal(sumChannelUsage, both);
    expect(all.sums.map(({ day, requests }) => [day, requests])).toEqual([
      ['2026-03-10', 1],
      ['2026-03-10', 1],
      ['2026-03-11', 1],
    ]);
    for (const day of ['2026-03-10', '2026-03-11', '2026-03-12']) {
      await startOn(day);
      expect(await testBed.internal(sumChannelUsage, both)).toEqual(all);
    }
    await testBed.em().execute(`update "channel_usage" set "input" = "input" + 1 where "channel_id" = 71`);
    expect(await testBed.internal(sumChannelUsage, both)).toEqual(all);
    const check = logging.database?.checks?.find(({ store }) => store === 'logging.channel_usage')?.query ?? '';
    const [from, to] = [Date.parse('2026-03-01') / 1000, Date.parse('2026-04-01') / 1000];
    // Rows of other tests have random ids, so they may be on any day.
    const faults = async () =>
      (
        await testBed
          .em()
          .execute<{ subject: string }[]>(check.replaceAll(':from', String(from)).replaceAll(':to', String(to)))
      ).filter(({ subject }) => subject.startsWith('usage of channel 71 ')).length;
    expect(await faults()).toBe(0);
    await startOn('2026-03-11');
    expect(await faults()).toBe(1);
    expect((await testBed.internal(sumChannelUsage, both)).sums.map(({ input }) => input)).toEqual(
      all.sums.map(({ day, input }) => input + (day === '2026-03-11' ? 1 : 0)),
    );
    await startOn('-infinity');
    // Rows of single connections are merged once the day is over; the totals stay the same.
    const summed = await testBed.internal(sumChannelUsage, both);
    await testBed.em()
      .execute(`insert into "channel_usage" select distinct "channel_id", "zone", "day", "model", "sent", "source", s, 0, 1, 0, 1
      from "channel_usage", generate_series(8, 10) s where "channel_id" = 71`);
    await testBed.inContext(() => testBed.get(ChannelUsageFold).fold(2));
    const shards = await testBed
      .em()
      .execute(`select distinct "shard"::int as "shard" from "channel_usage" where "channel_id" = 71`);
    expect(shards).toEqual([{ shard: 0 }]);
    expect((await testBed.internal(sumChannelUsage, both)).sums).toEqual(
      summed.sums.map((sum) => ({ ...sum, input: sum.input + 3, output: sum.output + 3 })),
    );

    const found = await testBed.internal(listDoubtfulRequests, {
      ...{ channelIds: [71], day: '2026-03-10', zone: 'UTC', models: ['sent-1'], limit: 10 },
    });
    expect(found.total).toBe(2);
    const doubts = new Map(found.requests.map((row) => [row.request_id, row.doubts]));
    expect(doubts.get(guessed.id)).toEqual(['estimated', 'cancelled']);
    expect(doubts.get(elsewhere.id)).toEqual(['retried']);
  });

  it('starts the sums of an existing log at the next full day, without reading its rows', async () => {
    await testBed.publish(consumed({ userId: testBed.newUser() }));
    const em = testBed.em();
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
