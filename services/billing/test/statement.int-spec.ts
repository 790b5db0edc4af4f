import { EntityManager } from '@mikro-orm/postgresql';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { adjustQuota } from '@tollgate/contracts';
import type { Statement, StatementKey } from '@tollgate/contracts/api/statement';
import { hasPostgres } from '@tollgate/testing';
import fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { BookingService } from '../src/booking/booking.service.js';
import { billing } from '../src/index.js';
import { Migration20261123100000_sum_before } from '../src/migrations/Migration20261123100000_sum_before.js';
import { StatementBacklog } from '../src/statement/statement-backlog.js';
import { fillAndEmpty } from './period-harms.js';
import { describeCosts } from './statement-costs.js';
import { describeClosedPeriods } from './statement-periods.js';
import { admin, dayText, StatementWorld, TODAY } from './statement-world.js';
import { consumed } from './test-bed.js';

const suite = hasPostgres() ? describe : describe.skip;

suite('statements', () => {
  const world = new StatementWorld();
  beforeAll(() => world.open());
  afterAll(() => world.close());

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
          const users = [1, 2, 3].map(() => world.newUser());
          const own = made.map((one) => ({ ...one, user: users[one.user] ?? 0 }));
          await world.testBed.call(adjustQuota, {
            userId: users[0] ?? 0,
            delta: gift,
            actorId: 2,
            commandId: `gift-${uuidv7()}`,
          });
          await Promise.all([world.book(own.slice(0, 10)), world.book(own.slice(10))]);
          const columns: [StatementKey, string][] = [
            ['model', '"model"'],
            ['channel', `case when "channel_id" = 0 then '' else "channel_id"::text end`],
            ['group', '"group"'],
            ['user', '"user_id"::text'],
          ];
          for (const [by, column] of columns)
            expect(await world.byStatements(by, users)).toEqual(await world.journal(column, users));
          const spent = own.filter(({ user }) => user === users[0]).reduce((sum, { quota }) => sum + quota, 0);
          const { totals, closing } = await world.statement({ user_id: users[0] ?? 0 });
          expect(totals).toMatchObject({ consumed: spent, adjusted: gift, net: gift - spent, late: 0 });
          expect(closing).toBe(gift - spent);
        },
      ),
      { numRuns: 4 },
    );
  });

  it('begin with an existing journal, whose sums the leader adds, killed or not', async () => {
    const backlog = world.testBed.get(StatementBacklog);
    const leader = jest.spyOn(backlog, 'work').mockResolvedValue();
    const user = world.newUser();
    const one = { user, quota: 3, model: 'm', channel: 3, group: 'g', ago: 7 };
    await world.book([one, { ...one, ago: 6 }, { ...one, ago: 5 }, { ...one, ago: 4 }]);
    await world.testBed.sql(`drop trigger "posting_statement" on "posting"`);
    await world.testBed.sql(`truncate "statement_day"`);
    const em = world.testBed.get(EntityManager).fork();
    const migration = new Migration20261123100000_sum_before(em.getDriver(), em.config);
    migration.up();
    const [begin = ''] = migration.getQueries().filter((query) => String(query).includes('pg_trigger'));
    await world.testBed.sql(String(begin));
    // At the second call the trigger exists, so there is no backlog.
    await world.testBed.sql(String(begin));

    const faults = async (): Promise<unknown[]> => {
      const check = billing.database?.checks?.find(({ store }) => store === 'billing.statement_day');
      const [from, to] = [TODAY - 50, TODAY + 2].map((day) => day * 86_400);
      return world.testBed.sql(check?.query.replaceAll(':from', String(from)).replaceAll(':to', String(to)) ?? '');
    };
    const ofUser = { user_id: user, end: dayText(TODAY + 1) };
    const consumedBy = async () => (await world.statement(ofUser)).totals.consumed;
    expect(await world.statement(ofUser)).toMatchObject({ complete: false, totals: { consumed: 0 } });
    expect((await world.closing(dayText(TODAY - 30))).body).toMatchObject({ code: 'statement-incomplete' });
    // New rows count at once; a late row is left to the leader until it has passed its id.
    await world.book([{ ...one, quota: 100, ago: -1 }]);
    await world.book([{ ...one, quota: 1000, ago: 6 }]);
    expect(await consumedBy()).toBe(100);
    expect(await faults()).toEqual([]);

    Object.assign(backlog, { step: 2 });
    await expect(
      world.testBed.inContext(() =>
        em.transactional(async () => {
          await backlog.advance();
          throw new Error('killed');
        }),
      ),
    ).rejects.toThrow('killed');
    for (let turn = 0; !(await world.testBed.inContext(() => backlog.isWhole())); turn += 1) {
      expect(turn).toBeLessThan(2000);
      await Promise.all([
        world.testBed.inContext(() => backlog.advance()),
        turn < 10 ? world.book([{ ...one, quota: 10_000, ago: 8 - turn }]) : undefined,
      ]);
      if (turn < 12) expect(await faults()).toEqual([]);
    }
    expect(await faults()).toEqual([]);
    expect(await world.statement(ofUser)).toMatchObject({
      ...{ complete: true, totals: { consumed: 12 + 100 + 1000 + 100_000 } },
    });
    expect(
      await world.testBed.sql(
        `select (select sum("amount") from "posting") = (select sum("amount") from "statement_day") as "same"`,
      ),
    ).toEqual([{ same: true }]);
    leader.mockRestore();
  });

  it('a repeated booking counts once', async () => {
    const user = world.newUser();
    const event = consumed({ userId: user, quota: 7 }, uuidv7());
    for (let time = 0; time < 3; time += 1)
      await world.testBed.inContext(() => world.testBed.get(BookingService).book([event]));
    expect((await world.statement({ user_id: user })).totals).toMatchObject({ requests: 1, consumed: 7, turnover: 7 });
  });

  it("stay readable however often a token's budget is raised and lowered", async () => {
    const user = world.newUser();
    const most = Number.MAX_SAFE_INTEGER;
    await world.testBed.sql(
      `insert into "posting" ("id", "code", "debit", "credit", "amount", "user_id", "token_id", "reference", "price_version", "replica_epoch", "reason")
       select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0') || substr(md5(n::text), 13))::uuid, 'token-budget', 'budgets', 'budget:1', ${most}, ${user}, 1, n::text, '', '', '' from generate_series(1, 1100) n`,
    );
    expect((await world.statement({ user_id: user })).totals).toMatchObject({ postings: 1100, turnover: 0, net: 0 });
    expect((await world.statement()).totals.postings).toBeGreaterThanOrEqual(1100);
    // Not even when a wallet is filled and emptied again and again, which a closing below has to handle, too.
    await fillAndEmpty(world.testBed, user);
    expect((await world.statement({ user_id: user })).totals).toMatchObject({
      adjusted: 0,
      turnover: 10_000_000_000_000_010,
    });
  });

  it('validate their parameters, and show users their own without channels', async () => {
    const refuse = async (query: Record<string, string>, as = admin, path = '/api/statement') => {
      const { body } = await world.testBed.harness.request('GET', path, { as, query });
      return (body as { code?: string }).code;
    };
    const [start, end] = [dayText(TODAY - 1), dayText(TODAY)];
    expect(await refuse({})).toBe('invalid-input');
    expect(await refuse({ start: '2026-02-30', end })).toBe('invalid-input');
    expect(await refuse({ start: end, end: start })).toBe('invalid-input');
    expect(await refuse({ start: '2020-01-01', end })).toBe('invalid-input');
    expect(await refuse({ start, end, by: 'shoe-size' })).toBe('invalid-input');
    const user = world.newUser();
    await world.book([{ user, quota: 5, model: 'm', channel: 3, group: 'g', ago: 0 }]);
    expect(await refuse({ start, end, by: 'channel' }, { id: user }, '/api/statement/self')).toBe('permission-denied');
    const own = await world.read<Statement>('/api/statement/self', { start, end, user_id: 1 }, { id: user });
    expect(own.totals).toMatchObject({ consumed: 5, requests: 1 });
  });

  it('are exported completely, as CSV that no spreadsheet executes', async () => {
    const user = world.newUser();
    await world.book([{ user, quota: 5, model: '=1+1', channel: 3, group: 'g', ago: 2 }]);
    const query = { start: dayText(TODAY - 3), end: dayText(TODAY), by: 'model', user_id: user };
    const { text } = await world.testBed.harness.request('GET', '/api/statement/export', { as: admin, query });
    const lines = text.trim().split('\r\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain(`${dayText(TODAY - 2)},'=1+1,1,5,0.000010,1,5,0.000010,`);
    expect(lines[1]).toMatch(/,0,unknown,unknown,0,0,0\.000000,unknown,unknown$/);
    const whole = await world.testBed.harness.request('GET', '/api/statement/export', {
      as: admin,
      query: { ...query, period: 'span' },
    });
    expect(whole.text.trim().split('\r\n')[1]).toContain(`${dayText(TODAY - 3)},'=1+1,1,5,0.000010,1,5,0.000010,`);
  });

  describeCosts(world);
  describeClosedPeriods(world);
});
