import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { personOfLogging, userErased } from '@tollgate/contracts';
import { type ColumnStore, Host, Metrics } from '@tollgate/chassis';
import { eventually, LocalClickhouse, readUntil } from '@tollgate/testing';
import { Client } from 'pg';
import { v7 } from 'uuid';
import { UserErasedConsumer } from '../src/person/user-erased.consumer.js';
import { ColumnLog } from '../src/proof/column-log.js';
import { ClickhouseDuties } from '../src/store/clickhouse-duties.js';
import { ClickhouseLogStore } from '../src/store/clickhouse-log-store.js';
import { TABLE } from '../src/store/clickhouse-rows.js';
import { LogStore } from '../src/store/log-store.js';
import { openLogStore } from '../src/store/open-log-store.js';
import { PostgresMonths } from '../src/store/postgres-months.js';
import { describeLogStore } from './contract-log-store.js';
import { admin, openLogDesk } from './log-desk.js';
import { consumed, type LogPage, type TestBed } from './test-bed.js';

/** ClickHouse starts, merges and mutates in its own time. */
const PATIENCE_MS = 60_000;

let server: LocalClickhouse | undefined;
beforeAll(async () => {
  server = await LocalClickhouse.open();
}, 90_000);
afterAll(() => server?.stop());

describeLogStore('ClickHouse', () => openLogDesk({ ...server?.environment, CLICKHOUSE_DATABASE: 'contract' }));

describe('the usage log in ClickHouse', () => {
  let testBed: TestBed;
  let store: ClickhouseLogStore;
  let columns: ColumnStore;

  beforeAll(async () => {
    ({ testBed } = await openLogDesk({ ...server?.environment, CLICKHOUSE_DATABASE: 'own' }));
    store = testBed.get(LogStore) as ClickhouseLogStore;
    columns = testBed.get(Host).columnStore!;
  }, 120_000);
  afterAll(() => testBed?.close());

  /** Everything on disk in the table, including rows that readers no longer see. */
  const lying = async (where: string): Promise<Record<string, unknown>[]> =>
    columns.query(`select * from ${TABLE} where ${where}`);
  const pageOf = (userId: number) => testBed.request<LogPage>('GET', '/api/log/self', { as: { id: userId } });
  const totalOf = async (userId: number): Promise<number> =>
    ((await pageOf(userId)).body as { data: LogPage }).data.total;

  /** The service's own periodic run may be processing the same user. */
  const sweep = () => testBed.inContext(() => testBed.get(UserErasedConsumer).erased.run()).catch(() => undefined);

  it('stores each row once in ClickHouse, and its key in PostgreSQL', async () => {
    expect(store).toBeInstanceOf(ClickhouseLogStore);
    const userId = testBed.newUser();
    const event = consumed({ userId });
    await testBed.publish(event, event);
    expect(await lying(`user_id = ${userId}`)).toMatchObject([{ event_id: event.id, quota: '225' }]);
    expect(await testBed.em().execute(`select from "log_key" where "event_id" = ?`, [event.id])).toHaveLength(1);
    expect(await testBed.em().execute('select from "log"')).toEqual([]);
  });

  it('transfers rows that another process committed before it died', async () => {
    const userId = testBed.newUser();
    const row = { ...bare, userId, eventId: v7(), createdAt: Math.floor(Date.now() / 1000) };
    await testBed.em().transactional((em) => store.insert(em as never, [row]));
    await eventually('the row arrives', async () => (await totalOf(userId)) === 1, PATIENCE_MS);
    expect(await testBed.em().execute('select from "log_pending"')).toEqual([]);
  });

  it('loses no rows while ClickHouse is down, and reports that to readers', async () => {
    const userId = testBed.newUser();
    await server?.kill();
    const published = testBed.publish(consumed({ userId }), consumed({ userId }));
    const reply = await pageOf(userId);
    expect([reply.status, reply.body]).toEqual([
      503,
      expect.objectContaining({
        ...{ success: false, kind: 'unavailable', code: 'service-unreachable' },
        message: '服务暂不可用，请稍后重试',
      }),
    ]);
    await server?.start();
    await published;
    await eventually('ClickHouse is back', async () => (await pageOf(userId)).status === 200, PATIENCE_MS);
    await eventually('both rows arrive', async () => (await totalOf(userId)) === 2, PATIENCE_MS);
    const [hour] = await testBed
      .em()
      .execute<{ quota: string }[]>(`select sum("logged_quota") as "quota" from "quota_hour" where "user_id" = ?`, [
        userId,
      ]);
    expect(hour?.quota).toBe('450');
  }, 90_000);

  it('has each row once after PostgreSQL was restored to an earlier moment and events are delivered again', async () => {
    const userId = testBed.newUser();
    const events = [consumed({ userId }), consumed({ userId })] as const;
    await testBed.publish(...events);
    await testBed.em().execute(`delete from "log_key" where "event_id" in (?, ?)`, [events[0].id, events[1].id]);
    await testBed.em().execute(`delete from "quota_hour" where "user_id" = ?`, [userId]);
    await testBed.publish(...events);
    expect(await totalOf(userId)).toBe(2);
    const rows = await columns.query<{ quota: string }>(`select quota from ${TABLE} final where user_id = ${userId}`);
    expect(rows).toEqual([{ quota: '225' }, { quota: '225' }]);
    const hours = `select sum("logged_quota") as "quota" from "quota_hour" where "user_id" = ?`;
    expect(await testBed.em().execute(hours, [userId])).toEqual([{ quota: '450' }]);
  });

  it('deletes the bytes of cleared rows and of erased names', async () => {
    const [userId, other] = [testBed.newUser(), testBed.newUser()];
    testBed.neighbours.names.users.set(userId, 'grace');
    const year = 86_400 * 365;
    const old = new Date(Date.now() - year * 1000).toISOString();
    await testBed.publish(consumed({ userId }), consumed({ userId: other, startedAt: old }));
    const reply = await testBed.request<number>('DELETE', '/api/log/', {
      as: admin,
      query: { target_timestamp: Math.floor(Date.now() / 1000) - year + 3600 },
    });
    expect(reply.body).toMatchObject({ success: true, data: 1 });
    await testBed.publish(testBed.newEvent(userErased, { userId, pseudonym: `erased-${userId}` }));
    const left = async (): Promise<unknown[]> => {
      await sweep();
      await testBed.inContext(() => store.tidy());
      return [
        ...(await lying(`user_id = ${other} or username = 'grace'`)),
        ...(await testBed.em().execute<object[]>('select * from "log_cleared"')),
        ...(await testBed.em().execute<object[]>('select * from "log_rewrite"')),
      ];
    };
    await readUntil(left, ({ length }) => length === 0, PATIENCE_MS);
    const { rows } = await testBed.internal(personOfLogging, { userId, section: 'logs', after: null });
    expect(rows).toMatchObject([{ username: `erased-${userId}`, token_name: '' }]);
  }, 90_000);

  describe('when a name is erased', () => {
    const erase = async (userId: number): Promise<void> => {
      await testBed.publish(testBed.newEvent(userErased, { userId, pseudonym: `erased-${userId}` }));
      const isErased = async (): Promise<boolean> => {
        await sweep();
        await store.settle();
        return isLeft(`erased-${userId}`);
      };
      await eventually('the name is erased', isErased, PATIENCE_MS);
    };
    const isMarked = async (): Promise<boolean> => (await testBed.em().execute('select from "log_rewrite"')).length > 0;
    const isLeft = async (name: string): Promise<boolean> => (await lying(`username = '${name}'`)).length > 0;
    const named = async (name: string): Promise<number> => {
      const userId = testBed.newUser();
      testBed.neighbours.names.users.set(userId, name);
      await testBed.publish(consumed({ userId }));
      return userId;
    };
    const goes = async (name: string): Promise<void> => {
      const isGone = async (): Promise<boolean> => {
        await testBed.inContext(() => store.tidy());
        return !(await isLeft(name)) && !(await isMarked());
      };
      await eventually(`the name ${name} is gone`, isGone, PATIENCE_MS);
    };

    it('keeps the month marked until ClickHouse can merge its parts', async () => {
      await erase(await named('judy'));
      // A part that waits for a mutation is not merged with others, and ClickHouse does not report that unasked.
      await columns.run(`alter table ${TABLE} delete where user_id = -1`);
      await testBed.inContext(() => store.tidy());
      expect([await isMarked(), await isLeft('judy')]).not.toEqual([false, true]);
      await goes('judy');
    }, 90_000);

    it('keeps the month marked for a name that is erased during a merge', async () => {
      const [first, second] = [await named('mallory'), await named('niaj')];
      await erase(first);
      let isSecond = false;
      const slow: ColumnStore = Object.assign(Object.create(columns) as ColumnStore, {
        async run(statement: string, minutes?: number) {
          await columns.run(statement, minutes);
          if (isSecond || !statement.startsWith('optimize')) return;
          isSecond = true;
          await erase(second);
        },
      });
      const slowStore = new ClickhouseLogStore(testBed.em(), slow);
      const isMerged = async (): Promise<boolean> => {
        await testBed.inContext(() => slowStore.tidy());
        return isSecond;
      };
      await eventually('the second name is erased', isMerged, PATIENCE_MS);
      expect([await isMarked(), await isLeft('niaj')]).not.toEqual([false, true]);
      await goes('niaj');
    }, 90_000);
  });

  it('is compared with the books in its state at the start, while rows are cleared and names erased', async () => {
    const [userId, erased] = [testBed.newUser(), testBed.newUser()];
    testBed.neighbours.names.users.set(erased, 'heidi');
    const at = Date.now() - 2 * 86_400_000;
    const startedAt = new Date(at).toISOString();
    await testBed.publish(consumed({ userId, startedAt }), consumed({ userId: erased, startedAt }));
    const meanwhile = async (): Promise<void> => {
      await testBed.publish(testBed.newEvent(userErased, { userId: erased, pseudonym: `erased-${erased}` }));
      await testBed.inContext(() => testBed.get(UserErasedConsumer).erased.run());
      await testBed.inContext(() => store.clear(Math.floor(at / 1000) + 3600));
      await testBed.inContext(() => store.tidy());
      const undone = () => columns.query<object>(`select * from system.mutations where is_done = 0`);
      await readUntil(undone, ({ length }) => length === 0, PATIENCE_MS);
    };
    const slow: ColumnStore = Object.assign(Object.create(columns) as ColumnStore, {
      async *stream(text: string) {
        await meanwhile();
        yield* columns.stream<object>(text);
      },
    });
    const log = new ColumnLog(slow);
    const [database] = await testBed.em().execute<{ name: string }[]>('select current_database() as name');
    const url = new URL(`/${database?.name ?? ''}`, process.env.TEST_DATABASE_URL);
    const client = new Client({ connectionString: url.toString() });
    await client.connect();
    try {
      await log.prepare(client);
      await client.query('begin transaction isolation level repeatable read');
      await log.fill(client, { from: at - 3_600_000, to: at + 3_600_000 }, () => undefined);
      const { rows } = await client.query('select user_id, quota from pg_temp."log" where user_id = any($1)', [
        [userId, erased],
      ]);
      expect(rows).toHaveLength(2);
    } finally {
      await client.end();
    }
    // No reader sees them any more, so they are deleted from disk, too.
    const left = async (): Promise<object[]> => {
      await testBed.inContext(() => store.tidy());
      return lying(`user_id in (${userId}, ${erased})`);
    };
    await readUntil(left, ({ length }) => length === 0, PATIENCE_MS);
  }, 90_000);

  it('refuses to start when PostgreSQL has log rows, or when it may not create its table', async () => {
    const { env } = testBed.get(Host);
    const open = (changes: Partial<Pick<Host, 'columnStore' | 'env'>>) =>
      openLogStore(
        { columnStore: columns, env, ...changes } as Host,
        testBed.em() as never,
        testBed.get(PostgresMonths),
      );
    const never = { ...env, TOLLGATE_MIGRATE: 'never' as const };
    await open({ env: never });
    await expect(open({ columnStore: undefined })).rejects.toThrow(
      /The usage log of this installation is in clickhouse/,
    );
    await columns.run(`rename table ${TABLE} to aside`);
    try {
      await expect(open({ env: never })).rejects.toThrow(/no table usage_log. Run `migrate` first/);
    } finally {
      await columns.run(`rename table aside to ${TABLE}`);
    }
    await testBed
      .em()
      .execute(`insert into "log" ("created_at", "event_id", "user_id", "type") values (1, ?, 1, 4)`, [v7()]);
    try {
      await expect(open({})).rejects.toThrow(/The usage log of this installation is in postgresql/);
    } finally {
      await testBed.em().execute(`delete from "log"`);
    }
  });

  it('adds columns to a table of the previous release, unless it may not change tables', async () => {
    const { env } = testBed.get(Host);
    const open = (migrate: 'start' | 'never') =>
      openLogStore(
        { columnStore: columns, env: { ...env, TOLLGATE_MIGRATE: migrate } } as Host,
        testBed.em() as never,
        testBed.get(PostgresMonths),
      );
    const userId = testBed.newUser();
    await testBed.publish(consumed({ userId }));
    await columns.run(`alter table ${TABLE} drop column cached`);
    await expect(open('never')).rejects.toThrow(/no column `cached` Int64 in usage_log. Run `migrate` first/);
    await Promise.all([open('start'), open('start')]);
    await open('never');
    expect(await lying(`user_id = ${userId}`)).toMatchObject([{ cached: '0' }]);
    await testBed.publish(consumed({ userId }));
    expect(await totalOf(userId)).toBe(2);
  });

  it('exposes metrics of the rows that wait for ClickHouse', async () => {
    const userId = testBed.newUser();
    const row = { ...bare, userId, eventId: v7(), createdAt: Math.floor(Date.now() / 1000) };
    const told = async (name: string): Promise<number | undefined> =>
      (await testBed.get(Metrics).registry.getSingleMetric(`tollgate_log_rows_${name}`)?.get())?.values[0]?.value;
    server?.pause();
    try {
      await testBed.em().transactional((em) => store.insert(em as never, [row]));
      expect(await told('waiting')).toBe(1);
      expect(await told('oldest_age_seconds')).toBeGreaterThanOrEqual(0);
    } finally {
      server?.resume();
    }
    await eventually('no row waits', async () => (await told('waiting')) === 0, PATIENCE_MS);
  }, 90_000);

  it('deletes keys that no event can repeat', async () => {
    const [fresh, old] = [v7(), v7()];
    await testBed
      .em()
      .execute(
        `insert into "log_key" ("event_id", "noted_at") values (?, now() - interval '29 days'), (?, now() - interval '31 days')`,
        [fresh, old],
      );
    await testBed.inContext(() => testBed.get(ClickhouseDuties).forgetKeys());
    const kept = await testBed
      .em()
      .execute<{ event_id: string }[]>('select "event_id" from "log_key" where "event_id" in (?, ?)', [fresh, old]);
    expect(kept).toEqual([{ event_id: fresh }]);
  });
});

const bare = {
  ...{
    type: 4 as const,
    content: 'text',
    username: 'somebody',
    tokenName: '',
    modelName: '',
    quota: 0,
    promptTokens: 0,
  },
  ...{ completionTokens: 0, useTime: 0, isStream: false, channelId: 0, channelName: '', tokenId: 0, group: '' },
  other: null,
};
