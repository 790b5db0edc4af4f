import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { connectPatiently } from '../orm/connection.js';
import { openPool } from '../orm/orm.provider.js';
import {
  AppError,
  type Logger,
  EventLog,
  type LogRecord,
  type Offsets,
  type ReadRecord,
  type Subscription,
  inFreshContext,
  partitionOf,
  type Indexed,
  RecordsRefused,
  type RefusedRecord,
  sifted,
  turns,
} from '@tollgate/chassis';
import { eventLogSchema } from './event-log.migration.js';
import { isDataFault } from './failure-class.js';
import { beginWithoutKafka } from './kafka-mark.js';
import { Leader } from './leader.js';
import { PartitionReader } from './partition-reader.js';

interface TableEventLogOptions {
  url: string;
  log: Logger;
  /** `start`, unless a job runs migrations. */
  migrate?: 'start' | 'never';
  /** How long to wait for a process that is still stopping. */
  patienceMs?: number;
}

interface Member {
  topics: ReadonlySet<string>;
  handle: Subscription['handle'];
}

interface Group {
  members: Member[];
  turn: <T>(work: () => Promise<T>) => Promise<T>;
}

interface PartitionRow {
  topic: string;
  partition: number;
  next: string;
}

const POLL_MS = 1000;
const RETENTION_EVERY_MS = 10 * 60_000;
const RETENTION = '7 days';
const PURGE_BATCH = 5_000;
const PATIENCE_MS = 5_000;
/** Batches of one group that are handled at once; each uses a connection of the service's pool. */
const GROUP_WIDTH = 4;

/**
 * The event log in a schema of the database, with Kafka's guarantees for a single process: dense offsets per partition, consumer groups,
 * at-least-once delivery. An append wakes the readers directly; a poll finds records appended by other connections.
 */
export class TableEventLog extends EventLog {
  private pool: Pool | undefined;
  private owner: Leader | undefined;
  private poller: Promise<void> | undefined;
  private readonly stopping = new AbortController();
  private readonly partitions = new Map<string, number>();
  private readonly groups = new Map<string, Group>();
  private readonly readers = new Map<string, PartitionReader>();
  private purgedAt = performance.now();

  constructor(private readonly options: TableEventLogOptions) {
    super();
  }

  async start(topics: readonly { name: string; partitions: number }[]): Promise<void> {
    const { url, log, migrate = 'start' } = this.options;
    // Says what is wrong with the server or its address, and waits for one that is starting; the lock's connection does neither.
    await (await connectPatiently(url, log)).end();
    this.owner = new Leader({ url, name: eventLogSchema.name, log, onLost: () => this.lost() });
    await this.owner.start();
    try {
      await this.requireOwnership(this.owner);
      this.pool = await openPool({ definition: eventLogSchema, url, log, migrate });
      await beginWithoutKafka(this.pool, log);
      await this.createTopics(topics);
    } catch (error) {
      await this.stop();
      throw error;
    }
    this.poller = inFreshContext(() => this.poll());
  }

  /** Only one process may use the log, because two would each deliver every record to their own members of a group. */
  private async requireOwnership(owner: Leader): Promise<void> {
    const deadline = performance.now() + (this.options.patienceMs ?? PATIENCE_MS);
    while (!owner.isLeader) {
      if (performance.now() > deadline) {
        throw new AppError(
          'unavailable',
          'event-log-taken',
          'Another Tollgate process already uses this database as its event log. Several processes need Kafka: set KAFKA_BROKERS for all of them, or stop the other one.',
        );
      }
      await pause(50);
    }
  }

  private lost(): void {
    if (!this.stopping.signal.aborted)
      this.options.log.warn('lost the lock of the event log; nothing is delivered until it is back');
  }

  private get db(): Pool {
    if (!this.pool) throw new Error('the event log was not started');
    return this.pool;
  }

  /** A topic may gain partitions but never lose any, because their records would not be read any more. */
  private async createTopics(topics: readonly { name: string; partitions: number }[]): Promise<void> {
    const names = topics.flatMap(({ name, partitions }) => Array.from({ length: partitions }, () => name));
    const numbers = topics.flatMap(({ partitions }) => Array.from({ length: partitions }, (_, partition) => partition));
    await this.db.query(
      'insert into topic_partition (topic, partition) select * from unnest($1::text[], $2::int[]) on conflict do nothing',
      [names, numbers],
    );
    const { rows } = await this.db.query<{ topic: string; partitions: number }>(
      'select topic, max(partition) + 1 as partitions from topic_partition group by topic',
    );
    for (const { topic, partitions } of rows) this.partitions.set(topic, partitions);
  }

  async append(topic: string, records: readonly LogRecord[]): Promise<void> {
    const count = this.partitionsOf(topic);
    if (records.length === 0) return;
    if (!this.owner?.isLeader)
      throw new AppError(
        'unavailable',
        'event-log-lost',
        'The event log is owned by another process or its database is away.',
      );
    const { fit, refusals } = sifted(records);
    if (fit.length > 0) refusals.push(...(await this.appendFit(topic, fit, count)));
    if (refusals.length > 0) throw new RecordsRefused(topic, refusals);
  }

  /** Halves an append that the database refuses for its content until the offending records are found. Returns the records left out. */
  private async appendFit(topic: string, items: readonly Indexed[], partitions: number): Promise<RefusedRecord[]> {
    try {
      const numbers = items.map(({ record }) => partitionOf(record.key, partitions));
      const { rows } = await this.db.query<{ partition_number: number; next_offset: string }>({
        name: 'event-log-append',
        text: 'select partition_number, next_offset from append_records($1, $2, $3, $4)',
        values: [topic, numbers, items.map(({ record }) => record.key), items.map(({ record }) => record.value)],
      });
      for (const row of rows) {
        const appended = items.filter((_, at) => numbers[at] === row.partition_number);
        this.handOut({ topic, partition: row.partition_number }, appended, BigInt(row.next_offset));
      }
      return [];
    } catch (error) {
      if (!isDataFault(error)) throw error;
      const [first] = items;
      if (first && items.length === 1) return [{ index: first.index, reason: (error as Error).message }];
      const half = Math.ceil(items.length / 2);
      return [
        ...(await this.appendFit(topic, items.slice(0, half), partitions)),
        ...(await this.appendFit(topic, items.slice(half), partitions)),
      ];
    }
  }

  private partitionsOf(topic: string): number {
    const count = this.partitions.get(topic);
    if (count === undefined) throw new Error(`event log: topic "${topic}" was not declared at start`);
    return count;
  }

  /** Passes the records just committed to all groups as the same objects, so that they need not be read from the table. */
  private handOut(place: Pick<ReadRecord, 'topic' | 'partition'>, items: readonly Indexed[], next: bigint): void {
    const first = next - BigInt(items.length);
    const records = items.map(({ record: { key, value } }, at) => ({
      ...place,
      offset: first + BigInt(at),
      key,
      value,
    }));
    for (const group of this.groups.keys())
      this.readers.get(readerKey(group, place.topic, place.partition))?.offer(records);
  }

  private reach(topic: string, partition: number, end: bigint): void {
    for (const group of this.groups.keys()) this.readers.get(readerKey(group, topic, partition))?.reach(end);
  }

  async subscribe({ group, topics, handle }: Subscription): Promise<void> {
    const numbered = topics.flatMap((topic) =>
      Array.from({ length: this.partitionsOf(topic) }, (_, partition) => ({ topic, partition })),
    );
    // Registers the group now, so that retention keeps what it has not read.
    await this.db.query(
      'insert into committed_offset (consumer_group, topic, partition) select $1, * from unnest($2::text[], $3::int[]) on conflict do nothing',
      [group, numbered.map(({ topic }) => topic), numbered.map(({ partition }) => partition)],
    );
    const state = this.groups.get(group) ?? { members: [], turn: turns(GROUP_WIDTH) };
    state.members.push({ topics: new Set(topics), handle });
    this.groups.set(group, state);
    for (const { topic, partition } of numbered) this.readFor(group, state, topic, partition);
    await this.lookForNew();
  }

  private readFor(group: string, state: Group, topic: string, partition: number): void {
    const key = readerKey(group, topic, partition);
    if (this.readers.has(key)) return;
    const handle: Subscription['handle'] = (records) => {
      const members = state.members.filter((member) => member.topics.has(topic));
      const member = members[partition % members.length];
      return member ? member.handle(records) : Promise.reject(new Error(`${group} has no member for ${topic}`));
    };
    const { log } = this.options;
    const { turn } = state;
    const mayDeliver = (): boolean => this.owner?.isLeader ?? false;
    this.readers.set(
      key,
      inFreshContext(
        () => new PartitionReader({ pool: this.db, log, group, topic, partition, handle, turn, mayDeliver }),
      ),
    );
  }

  private async poll(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await pause(POLL_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      if (this.stopping.signal.aborted) return;
      try {
        if (this.readers.size > 0) await this.lookForNew();
        await this.purge();
      } catch (error) {
        this.options.log.debug('the event log could not look for new records', { error });
      }
    }
  }

  private async lookForNew(): Promise<void> {
    const { rows } = await this.db.query<PartitionRow>({
      name: 'event-log-ends',
      text: 'select topic, partition, next from topic_partition',
    });
    for (const { topic, partition, next } of rows) this.reach(topic, partition, BigInt(next));
  }

  /** Never removes a record that some group has not committed. */
  private async purge(): Promise<void> {
    if (performance.now() - this.purgedAt < RETENTION_EVERY_MS) return;
    this.purgedAt = performance.now();
    await this.removeOlderThan(RETENTION);
  }

  /** Removes records older than the interval that every group has committed, in small steps, so that appends are not blocked. */
  async removeOlderThan(interval: string): Promise<number> {
    let removed = 0;
    for (;;) {
      const { rowCount } = await this.db.query(
        `delete from record where ctid in (
           select r.ctid from record r
           where r.appended_at < now() - $1::interval
             and not exists (select from committed_offset c where c.topic = r.topic and c.partition = r.partition and c.next <= r.record_offset)
           limit $2)`,
        [interval, PURGE_BATCH],
      );
      removed += rowCount ?? 0;
      if ((rowCount ?? 0) < PURGE_BATCH) return removed;
    }
  }

  identity(): Promise<string> {
    return Promise.resolve('table');
  }

  async ends(topics: readonly string[]): Promise<Offsets> {
    const { rows } = await this.db.query<PartitionRow>(
      'select topic, partition, next from topic_partition where topic = any($1)',
      [topics],
    );
    return this.offsets(topics, rows);
  }

  async committed(group: string, topics: readonly string[]): Promise<Offsets> {
    const { rows } = await this.db.query<PartitionRow>(
      'select topic, partition, next from committed_offset where consumer_group = $1 and topic = any($2)',
      [group, topics],
    );
    return this.offsets(topics, rows);
  }

  private offsets(topics: readonly string[], rows: readonly PartitionRow[]): Offsets {
    const empty = (topic: string): Record<number, bigint> =>
      Object.fromEntries(Array.from({ length: this.partitionsOf(topic) }, (_, partition) => [partition, 0n]));
    const result: Offsets = Object.fromEntries(topics.map((topic) => [topic, empty(topic)]));
    for (const { topic, partition, next } of rows) (result[topic] ??= {})[partition] = BigInt(next);
    return result;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all([...this.readers.values()].map((reader) => reader.stop()));
    this.readers.clear();
    await this.poller;
    await this.pool?.end();
    this.pool = undefined;
    await this.owner?.stop();
  }
}

const readerKey = (group: string, topic: string, partition: number): string =>
  `${group}\u0000${topic}\u0000${partition}`;
