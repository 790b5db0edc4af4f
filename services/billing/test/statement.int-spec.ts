import { EntityManager } from '@mikro-orm/postgresql';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { adjustQuota, type Page } from '@tollgate/contracts';
import type { ClosedPeriod, PeriodCheck, Statement, StatementKey } from '@tollgate/contracts/api/statement';
import type { ChannelCosts, SavedCosts } from '@tollgate/contracts/api/cost';
import { hasPostgres, type TestCaller } from '@tollgate/testing';
import fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { BookingService } from '../src/booking/booking.service.js';
import { billing } from '../src/index.js';
import { Migration20261123100000_sum_before } from '../src/migrations/Migration20261123100000_sum_before.js';
import { StatementBacklog } from '../src/statement/statement-backlog.js';
import { expectHarmNamed, expectMissed, fillAndEmpty, forgetSignatures } from './period-harms.js';
import { type BillingTestBed, consumed, startBilling } from './test-bed.js';

const suite = hasPostgres() ? describe : describe.skip;
const admin: TestCaller = { id: 2, role: 10 };
const root: TestCaller = { id: 1, role: 100 };
const DAY_MS = 86_400_000;
const TODAY = Math.floor(Date.now() / DAY_MS);
const dayText = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

interface Booking {
  user: number;
  quota: number;
  model: string;
  channel: number;
  group: string;
  /** Days before today. */
  ago: number;
}

suite('statements', () => {
  let testBed: BillingTestBed;
  let nextUser = 900;
  beforeAll(async () => {
    testBed = await startBilling();
  });
  afterAll(() => testBed.close());

  const read = async <T>(path: string, query: Record<string, string | number>, as = admin): Promise<T> => {
    const { body } = await testBed.harness.request<T>('GET', path, { as, query });
    if (!body.success) throw new Error(body.message);
    return body.data as T;
  };
  const statement = (query: Record<string, string | number> = {}): Promise<Statement> =>
    read('/api/statement', { start: dayText(TODAY - 40), end: dayText(TODAY), page_size: 100, ...query });
  const book = (bookings: readonly Booking[]): Promise<unknown> =>
    testBed.inContext(() =>
      testBed.get(BookingService).book(
        bookings.map(({ user, quota, model, channel, group, ago }) => {
          const id = uuidv7({ msecs: (TODAY - ago) * DAY_MS + 1000 });
          return consumed({ userId: user, quota, model, channelId: channel, group }, id);
        }),
      ),
    );
  const closing = (lastDay: string, as = root) =>
    testBed.harness.request<ClosedPeriod>('POST', '/api/period/close', {
      as,
      body: { last_day: lastDay, note: 'month end' },
    });
  /** Sums computed from the journal itself, independently of the statements. */
  const journal = async (column: string, userIds: readonly number[]): Promise<Record<string, number>> => {
    const rows = await testBed.sql<{ key: string; amount: string }>(
      `select ${column} as "key", sum("amount") as "amount" from "posting" where "user_id" in (${userIds.join(', ')}) group by 1`,
    );
    return Object.fromEntries(rows.map(({ key, amount }) => [key, Number(amount)]));
  };

  /** The same sums from the statements of each user, by day, week and month. */
  const byStatements = async (by: StatementKey, users: readonly number[]): Promise<Record<string, number>> => {
    const found: Record<string, number> = {};
    const asked = users.flatMap((user) =>
      (['day', 'week', 'month', 'span'] as const).map((period) => ({ user, period })),
    );
    for (const { user, period } of asked) {
      const { items, totals, opening, closing } = await statement({ by, period, user_id: user });
      expect(items.reduce((all, row) => all + row.turnover, 0)).toBe(totals.turnover);
      expect(opening + totals.net).toBe(closing);
      for (const row of period === 'span' ? items : []) found[row.key] = (found[row.key] ?? 0) + row.turnover;
    }
    return found;
  };

  it('equal the journal to the unit, by every key and period', async () => {
    const booking = (users: readonly number[]) =>
      fc.record({
        user: fc.constantFrom(...users),
        quota: fc.nat({ max: 1_000_000 }),
        model: fc.constantFrom('gpt-4o', 'claude-x', '模型'),
        channel: fc.constantFrom(0, 3, 4),
        group: fc.constantFrom('default', 'vip'),
        ago: fc.nat({ max: 39 }),
      });
    await fc.assert(
      fc.asyncProperty(
        fc.array(booking([0, 1, 2]), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 9000 }),
        async (made, gift) => {
          const users = [1, 2, 3].map(() => (nextUser += 1));
          const own = made.map((one) => ({ ...one, user: users[one.user] ?? 0 }));
          await testBed.call(adjustQuota, {
            userId: users[0] ?? 0,
            delta: gift,
            actorId: 2,
            commandId: `gift-${uuidv7()}`,
          });
          await Promise.all([book(own.slice(0, 10)), book(own.slice(10))]);
          const columns: [StatementKey, string][] = [
            ['model', '"model"'],
            ['channel', `case when "channel_id" = 0 then '' else "channel_id"::text end`],
            ['group', '"group"'],
            ['user', '"user_id"::text'],
          ];
          for (const [by, column] of columns)
            expect(await byStatements(by, users)).toEqual(await journal(column, users));
          const spent = own.filter(({ user }) => user === users[0]).reduce((sum, { quota }) => sum + quota, 0);
          const { totals, closing } = await statement({ user_id: users[0] ?? 0 });
          expect(totals).toMatchObject({ consumed: spent, adjusted: gift, net: gift - spent, late: 0 });
          expect(closing).toBe(gift - spent);
        },
      ),
      { numRuns: 4 },
    );
  });

  it('begin with an existing journal, whose sums the leader adds, killed or not', async () => {
    const backlog = testBed.get(StatementBacklog);
    const leader = jest.spyOn(backlog, 'work').mockResolvedValue();
    const user = (nextUser += 1);
    const one = { user, quota: 3, model: 'm', channel: 3, group: 'g', ago: 7 };
    await book([one, { ...one, ago: 6 }, { ...one, ago: 5 }, { ...one, ago: 4 }]);
    await testBed.sql(`drop trigger "posting_statement" on "posting"`);
    await testBed.sql(`truncate "statement_day"`);
    const em = testBed.get(EntityManager).fork();
    const migration = new Migration20261123100000_sum_before(em.getDriver(), em.config);
    migration.up();
    const [begin = ''] = migration.getQueries().filter((query) => String(query).includes('pg_trigger'));
    await testBed.sql(String(begin));
    // At the second call the trigger exists, so there is no backlog.
    await testBed.sql(String(begin));

    const faults = async (): Promise<unknown[]> => {
      const check = billing.database?.checks?.find(({ store }) => store === 'billing.statement_day');
      const [from, to] = [TODAY - 50, TODAY + 2].map((day) => day * 86_400);
      return testBed.sql(check?.query.replaceAll(':from', String(from)).replaceAll(':to', String(to)) ?? '');
    };
    const ofUser = { user_id: user, end: dayText(TODAY + 1) };
    const consumedBy = async () => (await statement(ofUser)).totals.consumed;
    expect(await statement(ofUser)).toMatchObject({ complete: false, totals: { consumed: 0 } });
    expect((await closing(dayText(TODAY - 30))).body).toMatchObject({ code: 'statement-incomplete' });
    // New rows count at once; a late row is left to the leader until it has passed its id.
    await book([{ ...one, quota: 100, ago: -1 }]);
    await book([{ ...one, quota: 1000, ago: 6 }]);
    expect(await consumedBy()).toBe(100);
    expect(await faults()).toEqual([]);

    Object.assign(backlog, { step: 2 });
    await expect(
      testBed.inContext(() =>
        em.transactional(async () => {
          await backlog.advance();
          throw new Error('killed');
        }),
      ),
    ).rejects.toThrow('killed');
    for (let turn = 0; !(await testBed.inContext(() => backlog.isWhole())); turn += 1) {
      expect(turn).toBeLessThan(2000);
      await Promise.all([
        testBed.inContext(() => backlog.advance()),
        turn < 10 ? book([{ ...one, quota: 10_000, ago: 8 - turn }]) : undefined,
      ]);
      if (turn < 12) expect(await faults()).toEqual([]);
    }
    expect(await faults()).toEqual([]);
    expect(await statement(ofUser)).toMatchObject({
      ...{ complete: true, totals: { consumed: 12 + 100 + 1000 + 100_000 } },
    });
    expect(
      await testBed.sql(
        `select (select sum("amount") from "posting") = (select sum("amount") from "statement_day") as "same"`,
      ),
    ).toEqual([{ same: true }]);
    leader.mockRestore();
  });

  it('a repeated booking counts once', async () => {
    const user = (nextUser += 1);
    const event = consumed({ userId: user, quota: 7 }, uuidv7());
    for (let time = 0; time < 3; time += 1) await testBed.inContext(() => testBed.get(BookingService).book([event]));
    expect((await statement({ user_id: user })).totals).toMatchObject({ requests: 1, consumed: 7, turnover: 7 });
  });

  it("stay readable however often a token's budget is raised and lowered", async () => {
    const user = (nextUser += 1);
    const most = Number.MAX_SAFE_INTEGER;
    await testBed.sql(
      `insert into "posting" ("id", "code", "debit", "credit", "amount", "user_id", "token_id", "reference", "price_version", "replica_epoch", "reason")
       select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0') || substr(md5(n::text), 13))::uuid, 'token-budget', 'budgets', 'budget:1', ${most}, ${user}, 1, n::text, '', '', '' from generate_series(1, 1100) n`,
    );
    expect((await statement({ user_id: user })).totals).toMatchObject({ postings: 1100, turnover: 0, net: 0 });
    expect((await statement()).totals.postings).toBeGreaterThanOrEqual(1100);
    // Not even when a wallet is filled and emptied again and again, which a closing below has to handle, too.
    await fillAndEmpty(testBed, user);
    expect((await statement({ user_id: user })).totals).toMatchObject({
      adjusted: 0,
      turnover: 10_000_000_000_000_010,
    });
  });

  it('validate their parameters, and show users their own without channels', async () => {
    const refuse = async (query: Record<string, string>, as = admin, path = '/api/statement') => {
      const { body } = await testBed.harness.request('GET', path, { as, query });
      return (body as { code?: string }).code;
    };
    const [start, end] = [dayText(TODAY - 1), dayText(TODAY)];
    expect(await refuse({})).toBe('invalid-input');
    expect(await refuse({ start: '2026-02-30', end })).toBe('invalid-input');
    expect(await refuse({ start: end, end: start })).toBe('invalid-input');
    expect(await refuse({ start: '2020-01-01', end })).toBe('invalid-input');
    expect(await refuse({ start, end, by: 'shoe-size' })).toBe('invalid-input');
    const user = (nextUser += 1);
    await book([{ user, quota: 5, model: 'm', channel: 3, group: 'g', ago: 0 }]);
    expect(await refuse({ start, end, by: 'channel' }, { id: user }, '/api/statement/self')).toBe('permission-denied');
    const own = await read<Statement>('/api/statement/self', { start, end, user_id: 1 }, { id: user });
    expect(own.totals).toMatchObject({ consumed: 5, requests: 1 });
  });

  it('are exported completely, as CSV that no spreadsheet executes', async () => {
    const user = (nextUser += 1);
    await book([{ user, quota: 5, model: '=1+1', channel: 3, group: 'g', ago: 2 }]);
    const query = { start: dayText(TODAY - 3), end: dayText(TODAY), by: 'model', user_id: user };
    const { text } = await testBed.harness.request('GET', '/api/statement/export', { as: admin, query });
    const lines = text.trim().split('\r\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain(`${dayText(TODAY - 2)},'=1+1,1,5,1,5,`);
    const whole = await testBed.harness.request('GET', '/api/statement/export', {
      as: admin,
      query: { ...query, period: 'span' },
    });
    expect(whole.text.trim().split('\r\n')[1]).toContain(`${dayText(TODAY - 3)},'=1+1,1,5,1,5,`);
  });

  describe('cost and margin', () => {
    const save = (costs: object[], as = admin) =>
      testBed.harness.request<ChannelCosts>('PUT', '/api/cost', { as, body: { channel_id: 77, costs } });
    const used = (inputTokens: number, startedAt: number, more: object = {}) => ({
      ...{ quota: inputTokens * 60, model: 'priced', channelId: 77, startedAt: new Date(startedAt).toISOString() },
      usage: { semantics: 'openai', inputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 } as const,
      ...more,
    });
    const bookFor = (userId: number, ...events: ReturnType<typeof used>[]) =>
      testBed.inContext(() =>
        testBed.get(BookingService).book(events.map((data) => consumed({ userId, ...data }, uuidv7()))),
      );

    it('are known from the moment a cost price is saved, and shown as unknown before', async () => {
      const user = (nextUser += 1);
      const before = Date.now() - 60_000;
      await bookFor(user, used(10, before));
      const byChannel = async () => (await statement({ by: 'channel', period: 'month', user_id: user })).items;
      expect(await byChannel()).toMatchObject([{ key: '77', consumed: 600, cost: null, margin: null, costed: 0 }]);

      // 4 dollars per million tokens at half a million units per dollar: 2 units each.
      const saved = await save([{ model: '', terms: { input: 4, output: 8 } }]);
      expect((saved.body.data as ChannelCosts).current).toMatchObject([
        { model: '', terms: { input: 4, output: 8 }, actor_id: admin.id },
      ]);
      const now = Date.now();
      await bookFor(user, used(10, before), used(10, now), used(10, now, { model: 'own' }));
      expect(await byChannel()).toMatchObject([
        { requests: 4, consumed: 2400, costed: 2, costed_sales: 1200, cost: 40, margin: 1160 },
      ]);

      await save([
        { model: '', terms: { input: 4, output: 8 } },
        { model: 'own', terms: { call: 0.001 } },
      ]);
      const later = Date.now();
      await bookFor(user, used(10, later, { model: 'own' }), used(10, now, { model: 'own' }), used(1, later));
      const byModel = (await statement({ by: 'model', period: 'month', user_id: user })).items;
      // One request by the price per call, two by the token prices in force when they began.
      expect(byModel.find(({ key }) => key === 'own')).toMatchObject({ costed: 3, cost: 500 + 20 + 20 });
      const { text } = await testBed.harness.request('GET', '/api/statement/export', {
        as: admin,
        query: { start: dayText(TODAY), end: dayText(TODAY), by: 'model', user_id: user },
      });
      expect(text.split('\r\n')[0]).toMatch(/,late,cost,costed,costed_sales,margin$/);

      const history = await read<ChannelCosts>('/api/cost', { channel_id: 77 });
      expect(history.history.map(({ model }) => model)).toEqual(['own', '']);
      const actions = await testBed.outbox<{ action: string; after: object }>('admin-action');
      expect(actions.filter(({ action }) => action === 'channel-cost').map(({ after }) => after)).toEqual([
        { '*': { input: 4, output: 8 } },
        { own: { call: 0.001 } },
      ]);
      await save([]);
      expect((await read<ChannelCosts>('/api/cost', { channel_id: 77 })).current).toEqual([]);
      await expect(testBed.sql(`update "channel_cost" set "terms" = null`)).rejects.toThrow();
    });

    it('is not replaced by a person who read the prices before another one changed them', async () => {
      const put = async (version: number | undefined, costs: object[], channel = 78) => {
        const body = { channel_id: channel, costs, ...(version !== undefined && { based_on: version }) };
        return (await testBed.harness.request<ChannelCosts>('PUT', '/api/cost', { as: admin, body })).body;
      };
      const both = await read<ChannelCosts>('/api/cost', { channel_id: 78 });
      expect(both).toEqual({ version: 0, current: [], history: [] });
      const first = [{ model: 'a', terms: { ratio: 0.5 } }];
      expect((await put(both.version, first)).success).toBe(true);
      expect(await put(both.version, [{ model: 'b', terms: { ratio: 0.7 } }])).toMatchObject({
        ...{ success: false, code: 'cost-changed-meanwhile', kind: 'conflict' },
      });
      // Saving the same again, as after a lost reply, changes nothing and is no conflict.
      expect((await put(both.version, first)).success).toBe(true);
      const now = await read<ChannelCosts>('/api/cost', { channel_id: 78 });
      expect(now.current.map(({ model }) => model)).toEqual(['a']);
      expect((await put(now.version, [])).success).toBe(true);
      expect((await put(now.version, first)).success).toBe(false);
      // A caller that did not read the prices before is told which ones it ended.
      expect(await put(undefined, first)).toMatchObject({ success: true, data: { replaced: [] } });
      const others = await put(undefined, [{ model: 'b', terms: { ratio: 0.7 } }]);
      expect((others.data as SavedCosts).replaced).toMatchObject([{ model: 'a', terms: { ratio: 0.5 } }]);

      testBed.neighbours.goneChannels = new Set([999]);
      expect(await put(0, first, 999)).toMatchObject({ code: 'channels-unknown', params: { ids: '999' } });
      expect((await read<ChannelCosts>('/api/cost', { channel_id: 999 })).history).toEqual([]);
    });

    it("is not shown in users' own statements, nor can users set it", async () => {
      const user = (nextUser += 1);
      await bookFor(user, used(1, Date.now()));
      const query = { start: dayText(TODAY - 1), end: dayText(TODAY) };
      const own = await testBed.harness.request('GET', '/api/statement/self', { as: { id: user }, query });
      expect(own.text).not.toMatch(/cost|margin/);
      const file = await testBed.harness.request('GET', '/api/statement/self/export', { as: { id: user }, query });
      expect(file.text).toContain('consumed');
      expect(file.text).not.toMatch(/cost|margin/);
      expect((await save([], { id: user, role: 1 })).body.success).toBe(false);
      for (const terms of [{}, { ratio: -1 }, { ratio: 1, call: 1 }, { input: 1 }, { ratio: 'free' }])
        expect((await save([{ model: '', terms }])).body).toMatchObject({ success: false, code: 'invalid-input' });
      const twice = [1, 2].map((ratio) => ({ model: 'm', terms: { ratio } }));
      expect((await save(twice)).body).toMatchObject({ code: 'invalid-input' });
    });
  });

  describe('a closed period', () => {
    const closedBy = ({ body }: Awaited<ReturnType<typeof close>>): ClosedPeriod => {
      if (!body.success || !body.data) throw new Error(body.message);
      return body.data;
    };
    const close = closing;
    const checked = (id: number) => read<PeriodCheck>(`/api/period/${id}/check`, {});

    it('is sealed and never reopened; late rows count for the next one and are marked', async () => {
      const user = (nextUser += 1);
      const late = { user, quota: 11, model: 'm', channel: 3, group: 'g', ago: 20 };
      // Two names whose order by language rules differs from their order by bytes.
      await book(['gpt-4o', 'gpt-4-turbo'].map((model) => ({ ...late, model, quota: 2 })));
      expect((await close(dayText(TODAY - 10), admin)).body.success).toBe(false);
      expect((await close(dayText(TODAY))).body).toMatchObject({ code: 'period-not-over' });
      const period = closedBy(await close(dayText(TODAY - 10)));
      expect(period).toMatchObject({ first_day: '', last_day: dayText(TODAY - 10), actor_id: root.id });
      expect(period.seal?.digest).toMatch(/^[0-9a-f]{64}$/);
      expect((await close(dayText(TODAY - 10))).body).toMatchObject({ code: 'period-closed' });
      expect((await close(dayText(TODAY - 12))).body).toMatchObject({ code: 'period-closed' });

      await book([late]);
      const closed = await statement({ user_id: user, end: dayText(TODAY - 10) });
      expect(closed.totals).toMatchObject({ consumed: 4, late: 0 });
      const next = await statement({ user_id: user, start: dayText(TODAY - 9) });
      expect(next.items).toMatchObject([{ period: dayText(TODAY - 9), consumed: 11, late: 1 }]);
      expect(next.opening).toBe(-4);
      const { id } = period;
      expect(await checked(id)).toMatchObject({ matches: true, signature: 'valid' });
      const sortBy = (collation: string): Promise<unknown> =>
        testBed.sql(`alter table "statement_day" alter column "model" type text collate "${collation}"`);
      await sortBy('en-x-icu');
      expect(await checked(id)).toMatchObject({ matches: true });
      await sortBy('default');
      const { items } = await read<Page<ClosedPeriod>>('/api/period', {});
      expect(items).toMatchObject([{ id, note: 'month end' }]);
      const actions = await testBed.outbox<{ action: string }>('admin-action');
      expect(actions.filter(({ action }) => action === 'period-close')).toHaveLength(1);
      await expect(testBed.sql(`update "closed_period" set "until" = "until" - 1`)).rejects.toThrow();
      await expectHarmNamed(testBed);

      await testBed.sql(`update "statement_day" set "amount" = "amount" + 1 where "user_id" = ? and "day" = ?::date`, [
        user,
        dayText(TODAY - 20),
      ]);
      expect(await checked(id)).toMatchObject({ matches: false, signature: 'valid' });
    });

    it('includes each row or leaves it to the next one, while bookings continue', async () => {
      const user = (nextUser += 1);
      const ago = 5;
      await forgetSignatures(testBed);
      const bookings = Array.from({ length: 12 }, () =>
        book([{ user, quota: 1, model: 'm', channel: 3, group: 'g', ago }]),
      );
      const [reply] = await Promise.all([close(dayText(TODAY - 4)), ...bookings]);
      const before = await statement({ user_id: user, end: dayText(TODAY - 4) });
      const after = await statement({ user_id: user, start: dayText(TODAY - 3) });
      expect(before.totals.consumed + after.totals.consumed).toBe(12);
      expect(before.totals.late).toBe(0);
      expect(after.totals.late).toBe(after.totals.consumed);
      const { id } = closedBy(reply);
      expect(await checked(id)).toMatchObject({ matches: true, signature: 'valid' });
      expect(await checked(id - 1)).toMatchObject({ signature: 'valid' });
      await expectMissed(testBed, id);
    });
  });
});
