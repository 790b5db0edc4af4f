import { isDeepStrictEqual } from 'node:util';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { contractTopics, createDatabase, describeEventLog, eventually, type TestDatabase } from '@tollgate/testing';
import { Client } from 'pg';
import { markKafka } from '../src/events/kafka-mark.js';
import { TableEventLog } from '../src/events/table-event-log.js';
import { partitionOf, Logger } from '@tollgate/chassis';

const log = Logger.root('silent');

async function startOn(url: string): Promise<TableEventLog> {
  const eventLog = new TableEventLog({ url, log, patienceMs: 2_000 });
  await eventLog.start(contractTopics);
  return eventLog;
}

describeEventLog('the table', async () => {
  const database = await createDatabase();
  const logs = [await startOn(database.url)];
  return {
    log: logs[0] as TableEventLog,
    async reopen() {
      const next = await startOn(database.url);
      logs.push(next);
      return next;
    },
    async beginAppend(topic, records) {
      const client = new Client({ connectionString: database.url, options: '-c search_path=event_log' });
      await client.connect();
      await client.query('begin');
      await client.query('select * from append_records($1, $2, $3, $4)', [
        topic,
        records.map(({ key }) => partitionOf(key, 1)),
        records.map(({ key }) => key),
        records.map(({ value }) => value),
      ]);
      return {
        async commit() {
          await client.query('commit');
          await client.end();
        },
      };
    },
    async close() {
      for (const eventLog of logs) await eventLog.stop();
      await database.drop();
    },
  };
});

describe('the table as event log of one process', () => {
  const opened: TableEventLog[] = [];
  let database: TestDatabase;

  afterEach(async () => {
    for (const eventLog of opened.splice(0)) await eventLog.stop();
    await database.drop();
  });

  const open = async (): Promise<TableEventLog> => {
    const eventLog = await startOn(database.url);
    opened.push(eventLog);
    return eventLog;
  };

  it('refuses a second process on the same database and names KAFKA_BROKERS', async () => {
    database = await createDatabase();
    await open();
    await expect(startOn(database.url)).rejects.toThrow(/KAFKA_BROKERS/);
  });

  it('takes over from Kafka with a warning, and says so once', async () => {
    database = await createDatabase();
    const options = { url: database.url, log, migrate: 'start' } as const;
    // Each replica does it at its start.
    await Promise.all([markKafka(options), markKafka(options)]);
    const warn = jest.spyOn(log, 'warn');
    for (let turn = 0; turn < 2; turn += 1) await (await startOn(database.url)).stop();
    expect(warn.mock.calls.map(([text]) => text)).toEqual([expect.stringContaining('were in Kafka until now')]);
    warn.mockRestore();
  });

  it('names DATABASE_URL where its server refuses', async () => {
    database = await createDatabase();
    const url = new URL(database.url);
    url.pathname = '/not_there';
    await expect(startOn(url.toString())).rejects.toThrow(/not_there.*Check DATABASE_URL/);
  });

  it('leaves out a record that PostgreSQL cannot store, and only that', async () => {
    database = await createDatabase();
    const eventLog = await open();
    const seen: string[] = [];
    await eventLog.subscribe({
      group: 'g',
      topics: ['contract-single'],
      handle: async (batch) => void seen.push(...batch.map(({ value }) => value)),
    });
    const records = ['a', 'b', 'with a \0', 'c', 'd'].map((value) => ({ key: 'k', value }));
    await expect(eventLog.append('contract-single', records)).rejects.toMatchObject({
      name: 'RecordsRefused',
      refusals: [{ index: 2 }],
    });
    await eventually('four records arrive', () => seen.length >= 4);
    expect(seen).toEqual(['a', 'b', 'c', 'd']);
  });

  it('goes on after the server dropped all its connections', async () => {
    database = await createDatabase();
    const eventLog = await open();
    const seen: string[] = [];
    await eventLog.subscribe({
      group: 'g',
      topics: ['contract-single'],
      handle: async (batch) => void seen.push(...batch.map(({ value }) => value)),
    });
    const client = new Client({ connectionString: database.url });
    await client.connect();
    await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    await client.end();
    await eventually('a record arrives', async () => {
      await eventLog.append('contract-single', [{ key: 'k', value: 'after' }]).catch(() => undefined);
      return seen.length > 0;
    });
    expect(seen[0]).toBe('after');
  });

  it('delivers what it appends without waiting for a poll', async () => {
    database = await createDatabase();
    const eventLog = await open();
    const seen: string[] = [];
    await eventLog.subscribe({
      group: 'g',
      topics: ['contract-single'],
      handle: async (batch) => void seen.push(...batch.map(({ value }) => value)),
    });
    const polled = eventLog as unknown as { lookForNew(): Promise<void> };
    jest.spyOn(polled, 'lookForNew').mockResolvedValue(); // no poll finds anything
    const values = Array.from({ length: 30 }, (_, index) => String(index));
    for (const value of values) {
      await eventLog.append('contract-single', [{ key: 'k', value }]);
      await eventually(`record ${value} arrives`, () => seen.includes(value));
    }
    expect(seen).toEqual(values);
  });

  it('never removes what a group has not committed, however old', async () => {
    database = await createDatabase();
    const eventLog = await open();
    const batch = Array.from({ length: 10 }, (_, index) => ({ key: 'k', value: String(index) }));
    await eventLog.append('contract-single', batch);
    let blocked = true;
    const seen: string[] = [];
    await eventLog.subscribe({
      group: 'slow',
      topics: ['contract-single'],
      handle: async (records) => {
        if (blocked) throw new Error('not now');
        seen.push(...records.map(({ value }) => value));
      },
    });
    expect(await eventLog.removeOlderThan('0 seconds')).toBe(0);
    blocked = false;
    await eventually('ten records arrive', () => seen.length >= 10);
    expect(seen).toHaveLength(10);
    const topics = ['contract-single'];
    const ends = await eventLog.ends(topics);
    await eventually('everything is committed', async () =>
      isDeepStrictEqual(await eventLog.committed('slow', topics), ends),
    );
    expect(await eventLog.removeOlderThan('0 seconds')).toBe(10);
  });
});
