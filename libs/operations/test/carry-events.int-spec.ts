import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { contractTopics, createDatabase, eventually, startKafka, type TestDatabase } from '@tollgate/testing';
import { Client } from 'pg';
import { carryEvents } from '../src/carry/carry-events.js';
import { AppError, type LogRecord, type ReadRecord, Logger } from '@tollgate/chassis';
import { KafkaEventLog } from '@tollgate/adapters';
import { TableEventLog } from '@tollgate/database';

const log = Logger.root(process.env.TEST_LOG_LEVEL ?? 'silent');
const kafka = await startKafka();
afterAll(() => kafka?.stop());

const TOPIC = 'contract-many';
const records = (from: number, to: number): LogRecord[] =>
  Array.from({ length: to - from }, (_, index) => ({ key: `k${(from + index) % 5}`, value: String(from + index) }));
const sorted = (values: readonly string[]): number[] => values.map(Number).sort((one, other) => one - other);
const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);

describe('events that nobody had read when an installation went over to Kafka', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(() => database.drop());

  const onDatabase = async <T>(work: (client: Client) => Promise<T>): Promise<T> => {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  };

  /** Appends 40 records, of which the group "fast" has read all and "slow" the first twelve. */
  async function leaveUnread(): Promise<void> {
    const table = new TableEventLog({ url: database.url, log });
    await table.start(contractTopics);
    const read = { fast: 0, slow: 0 };
    const count = (group: 'fast' | 'slow') => async (batch: readonly ReadRecord[]) => {
      read[group] += batch.length;
    };
    await table.append(TOPIC, records(0, 12));
    for (const group of ['fast', 'slow'] as const)
      await table.subscribe({ group, topics: [TOPIC], handle: count(group) });
    await eventually('both groups have twelve records', () => read.fast === 12 && read.slow === 12);
    await table.stop();

    const second = new TableEventLog({ url: database.url, log });
    await second.start(contractTopics);
    await second.subscribe({ group: 'fast', topics: [TOPIC], handle: count('fast') });
    await second.append(TOPIC, records(12, 40));
    await eventually('the fast group has all records', () => read.fast === 40);
    await second.stop();
    expect(read).toEqual({ fast: 40, slow: 12 });
  }

  const take = (appended: string[], failAfter = Infinity) => ({
    append: (_topic: string, batch: readonly LogRecord[]) => {
      if (appended.length >= failAfter) return Promise.reject(new Error('Kafka is away'));
      appended.push(...batch.map(({ value }) => value));
      return Promise.resolve();
    },
  });

  it('has nothing to do on a database without an event log', async () => {
    expect(await carryEvents({ url: database.url, target: take([]), log })).toBe(0);
  });

  it('are copied once, by the next start if this one fails in between', async () => {
    await leaveUnread();
    const appended: string[] = [];
    const broken = carryEvents({ url: database.url, target: take(appended, 1), log });
    await expect(broken).rejects.toThrow(/away/);
    const carried = appended.length;
    expect(carried).toBeGreaterThan(0);
    // Several replicas that start at once.
    const outcomes = await Promise.all(
      [1, 2, 3].map(() => carryEvents({ url: database.url, target: take(appended), log })),
    );
    expect(outcomes.reduce((sum, one) => sum + one, carried)).toBe(28);
    expect(sorted(appended)).toEqual(numbers(12, 40));
    expect(await carryEvents({ url: database.url, target: take(appended), log })).toBe(0);
  });

  it('wait for the broker that leads a new topic', async () => {
    await leaveUnread();
    const appended: string[] = [];
    const target = take(appended);
    let refusals = 0;
    const young = {
      append: (topic: string, batch: readonly LogRecord[]) =>
        (refusals += 1) < 3
          ? Promise.reject(new AppError('unavailable', 'event-log-lost', 'This server is not the leader'))
          : target.append(topic, batch),
    };
    expect(await carryEvents({ url: database.url, target: young, log })).toBe(28);
    expect(sorted(appended)).toEqual(numbers(12, 40));
  });

  it("are not copied while a process that uses the database's event log is running", async () => {
    await leaveUnread();
    const table = new TableEventLog({ url: database.url, log });
    await table.start(contractTopics);
    const appended: string[] = [];
    const early = carryEvents({ url: database.url, target: take(appended), log, patienceMs: 50 });
    await expect(early).rejects.toThrow(/still runs on this database/);
    await table.stop();
    expect(appended).toEqual([]);
    expect(await carryEvents({ url: database.url, target: take(appended), log })).toBe(28);
  });

  (kafka ? it : it.skip)(
    'reach their group through Kafka, in order by key',
    async () => {
      await leaveUnread();
      const target = new KafkaEventLog({
        brokers: kafka?.brokers.split(',') ?? [],
        log,
        prefix: `test-${randomUUID().slice(0, 8)}.`,
      });
      await target.start(contractTopics);
      expect(await carryEvents({ url: database.url, target, log })).toBe(28);
      const seen: ReadRecord[] = [];
      await target.subscribe({ group: 'slow', topics: [TOPIC], handle: async (batch) => void seen.push(...batch) });
      await eventually('28 records arrive', () => seen.length >= 28);
      await target.stop();
      expect(sorted(seen.map(({ value }) => value))).toEqual(numbers(12, 40));
      for (const key of new Set(seen.map((record) => record.key))) {
        const values = seen.filter((record) => record.key === key).map(({ value }) => value);
        expect(values.map(Number)).toEqual(sorted(values));
      }
      const [behind] = await onDatabase(async (client) => {
        const { rows } = await client.query<{ behind: string }>(
          `select count(*) as behind from event_log.committed_offset c join event_log.topic_partition t using (topic, partition) where c.next < t.next`,
        );
        return rows;
      });
      expect(behind).toEqual({ behind: '0' });
    },
    60_000,
  );
});
