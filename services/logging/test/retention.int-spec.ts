import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listDoubtfulRequests, sumChannelUsage } from '@tollgate/contracts';
import { hasPostgres, readUntil } from '@tollgate/testing';
import { monthsFrom } from '../src/store/month.js';
import { PostgresMonths } from '../src/store/postgres-months.js';
import { consumed, type TestBed, startLogging } from './test-bed.js';

const admin = { id: 7, role: 10 } as const;

(hasPostgres() ? describe : describe.skip)('clearing the log', () => {
  let testBed: TestBed;
  let partitions: PostgresMonths;

  beforeAll(async () => {
    testBed = await startLogging();
    partitions = testBed.process.services.get('logging')!.app.get(PostgresMonths);
  }, 60_000);
  afterAll(() => testBed.close());

  const tables = async (): Promise<string[]> => {
    const rows = await testBed
      .em()
      .execute<{ name: string }[]>(
        `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'log'::regclass order by 1`,
      );
    return rows.map(({ name }) => name);
  };
  const at = (time: string) => ({ startedAt: new Date(time).toISOString(), durationMs: 0 });
  const count = async (table: string): Promise<number> =>
    Number((await testBed.em().execute<{ n: string }[]>(`select count(*) as n from "${table}"`))[0]?.n);

  it('creates the tables of this month and the next two at the start', async () => {
    const ahead = monthsFrom(Date.now() / 1000, 3).map(({ table }) => table);
    await readUntil(tables, ({ length }) => length > ahead.length);
    expect(await tables()).toEqual([...ahead, 'log_default']);
    await testBed.publish(consumed({ userId: testBed.newUser() }));
    expect(await count(monthsFrom(Date.now() / 1000 - 5, 1)[0]!.table)).toBe(1);
  });

  it('moves rows that arrived before their month had a table', async () => {
    const userId = testBed.newUser();
    const event = consumed({ userId, ...at('2021-03-31T23:59:59Z') });
    await testBed.publish(event, consumed({ userId, ...at('2021-04-01T00:00:00Z') }));
    const [march] = monthsFrom(Date.UTC(2021, 2, 5) / 1000, 1);
    await Promise.all([makeInContext(march!), makeInContext(march!)]);

    expect(await count('log_2021_03')).toBe(1);
    expect(await count('log_default')).toBe(1);
    await testBed.publish(event);
    expect(await count('log_2021_03')).toBe(1);
    await testBed.publish(consumed({ userId, ...at('2021-03-02T00:00:00Z') }));
    expect(await count('log_2021_03')).toBe(2);
  });

  it('refuses a request without a time', async () => {
    for (const query of [{}, { target_timestamp: 0 }, { target_timestamp: 'soon' }]) {
      const reply = await testBed.request('DELETE', '/api/log/', { as: admin, query: query as Record<string, string> });
      expect(reply.body).toMatchObject({ success: false, message: 'target timestamp is required' });
    }
    expect(
      (await testBed.request('DELETE', '/api/log/', { as: { id: 5 }, query: { target_timestamp: 1 } })).body,
    ).toMatchObject({ kind: 'forbidden' });
  });

  it('drops whole months, deletes the rest, returns the number and is audited', async () => {
    const userId = testBed.newUser();
    await partitionsFor(Date.UTC(2022, 0, 1) / 1000, 2);
    await testBed.publish(
      consumed({ userId, ...at('2022-01-10T00:00:00Z') }),
      consumed({ userId, ...at('2022-01-20T00:00:00Z') }),
      consumed({ userId, ...at('2022-02-09T23:59:59Z') }),
      consumed({ userId, ...at('2022-02-10T00:00:00Z') }),
      consumed({ userId }),
    );
    const before = await count('log');
    const target = Date.UTC(2022, 1, 10) / 1000;
    const older = Number(
      (
        await testBed.em().execute<{ n: string }[]>('select count(*) as n from "log" where "created_at" < ?', [target])
      )[0]?.n,
    );
    const reply = await testBed.request<number>('DELETE', '/api/log/', {
      as: admin,
      query: { target_timestamp: target },
    });

    expect(reply.body).toMatchObject({ success: true, data: older });
    expect(await count('log')).toBe(before - older);
    // The total equals the remaining rows.
    const total = await testBed.request('GET', '/api/log/self/stat', { as: { id: userId } });
    expect(total.body).toMatchObject({ data: { quota: 2 * 225 } });
    expect(await tables()).not.toContain('log_2022_01');
    expect(await tables()).toContain('log_2022_02');
    expect(await count('log_2022_02')).toBe(1);
    const audited = () =>
      testBed
        .em()
        .execute<object[]>(`select actor_id, action, "after" from audit_entry where subject = 'log' order by id`);
    expect(await readUntil(audited, ({ length }) => length >= 2)).toEqual([
      { actor_id: 7, action: 'log-clear', after: { target_timestamp: target } },
      { actor_id: 7, action: 'log-cleared', after: { target_timestamp: target, rows: older } },
    ]);
    // Cleared up to midnight UTC, when the day in Los Angeles is not over.
    const isComplete = async (day: string, zone: 'UTC' | 'America/Los_Angeles'): Promise<boolean> =>
      (await testBed.internal(sumChannelUsage, { channelIds: [1], firstDay: day, lastDay: day, zone })).isComplete;
    expect(await isComplete('2022-02-09', 'UTC')).toBe(true); // the sums outlive the rows,
    const requests = { channelIds: [1], day: '2022-02-09', zone: 'UTC' as const, models: ['gpt-4o'], limit: 1 };
    expect((await testBed.internal(listDoubtfulRequests, requests)).isComplete).toBe(false); // which nobody can list,
    await testBed.em().execute(`update "channel_usage_start" set "first_day" = '2022-02-10'`);
    expect(await isComplete('2022-02-09', 'UTC')).toBe(false); // unless they began later
    expect(await isComplete('2022-02-10', 'UTC')).toBe(true);
    expect(await isComplete('2022-02-10', 'America/Los_Angeles')).toBe(true);
    // Switched off for an hour after midnight UTC, which still belongs to the previous day in Los Angeles.
    await testBed.em().execute(
      `insert into "audit_entry" ("event_id", "actor_id", "action", "subject", "text", "after", "happened_at")
       values (gen_random_uuid(), 7, 'option-set', 'option:LogConsumeEnabled', '', '{"value":"false"}', '2022-02-11T01:00:00Z'),
         (gen_random_uuid(), 7, 'option-set', 'option:LogConsumeEnabled', '', '{"value":"true"}', '2022-02-11T02:00:00Z')`,
    );
    expect(await isComplete('2022-02-10', 'UTC')).toBe(true);
    expect(await isComplete('2022-02-10', 'America/Los_Angeles')).toBe(false);
  });

  it('deletes rows of a month whose table is in use', async () => {
    await partitionsFor(Date.UTC(2023, 0, 1) / 1000, 1);
    await testBed.publish(consumed({ userId: testBed.newUser(), ...at('2023-01-10T00:00:00Z') }));
    const reader = testBed.em();
    await reader.begin();
    await reader.execute('select count(*) from "log"');
    const reply = await testBed.request<number>('DELETE', '/api/log/', {
      as: admin,
      query: { target_timestamp: Date.UTC(2023, 5, 1) / 1000 },
    });
    await reader.rollback();
    expect(reply.body).toMatchObject({ success: true, data: 2 }); // and the row of 2022-02-10
    expect(await tables()).toContain('log_2023_01');
    expect(await count('log_2023_01')).toBe(0);
  });

  const makeInContext = (month: Parameters<PostgresMonths['make']>[0]): Promise<void> =>
    testBed.inContext(() => partitions.make(month));
  const partitionsFor = async (seconds: number, months: number): Promise<void> => {
    for (const month of monthsFrom(seconds, months)) await makeInContext(month);
  };
});
