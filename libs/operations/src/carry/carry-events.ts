import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { connectPatiently, eventLogSchema, markKafka } from '@tollgate/database';
import { AppError, type Logger, type EventLog, RecordsRefused } from '@tollgate/chassis';
import { requireUnused } from './unused-log.js';

interface CarryOptions {
  /** The database whose event log was in use before. */
  url: string;
  /** The event log that is used from now on. */
  target: Pick<EventLog, 'append'>;
  log: Logger;
  /** How long to wait for a process that is about to stop, in milliseconds. */
  patienceMs?: number;
}

interface Backlog {
  topic: string;
  partition: number;
  /** The lowest offset that some group has not committed yet. */
  first: string;
}

interface Row {
  record_offset: string;
  key: string;
  value: string;
}

const PATIENCE_MS = 10_000;
const LEADER_MS = 30_000;
const LEADER_PAUSE_MS = 500;
const BATCH = 500;
const { name: SCHEMA } = eventLogSchema;
const STILL_THERE =
  'A Tollgate process without KAFKA_BROKERS still runs on this database and keeps its events there. Stop it, then start again: what nobody has read yet is carried to Kafka.';

/**
 * Copies to Kafka the events that some consumer group had not read when the installation stopped using the event log in
 * the database. A group that had read an event receives it again with the same event id, by which consumers recognise
 * it. A record is marked as read only once Kafka has stored it, so if this process is killed, the next start carries
 * on. Resolves to the number of records.
 */
export async function carryEvents({ url, target, log, patienceMs = PATIENCE_MS }: CarryOptions): Promise<number> {
  const client = await connectPatiently(url, log);
  try {
    if (!(await hasEventLog(client))) return 0;
    // Replicas that start at the same time take turns; the locks are released with the connection.
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', ['tollgate:carry-events']);
    await requireUnused(client, patienceMs, STILL_THERE);
    let carried = 0;
    for (const backlog of await backlogs(client)) carried += await carryPartition(client, backlog, { target, log });
    if (carried > 0) log.info('carried unread events from the database to Kafka', { events: carried });
    return carried;
  } finally {
    await client.end();
  }
}

/** Carries events as `carryEvents` does, and marks the database, so that whoever lacks `KAFKA_BROKERS` notices. */
export async function goOverToKafka({
  migrate,
  ...options
}: CarryOptions & { migrate: 'start' | 'never' }): Promise<void> {
  await carryEvents(options);
  await markKafka({ url: options.url, log: options.log, migrate });
}

async function hasEventLog(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [
    `${SCHEMA}.committed_offset`,
  ]);
  return rows[0]?.there ?? false;
}

async function backlogs(client: Client): Promise<Backlog[]> {
  const { rows } = await client.query<Backlog>(
    `select c.topic, c.partition, min(c.next)::text as first from ${SCHEMA}.committed_offset c
     join ${SCHEMA}.topic_partition t on t.topic = c.topic and t.partition = c.partition
     where c.next < t.next group by c.topic, c.partition order by c.topic, c.partition`,
  );
  return rows;
}

/**
 * Appends with retries: for some seconds after a topic was created, a broker may not lead its partitions yet. Records
 * that it did store meanwhile are appended twice.
 */
async function appendPatiently(target: CarryOptions['target'], topic: string, rows: readonly Row[]): Promise<void> {
  const deadline = performance.now() + LEADER_MS;
  for (;;)
    try {
      return await target.append(topic, rows);
    } catch (error) {
      const isLost = error instanceof AppError && error.code === 'event-log-lost';
      if (!isLost || performance.now() > deadline) throw error;
      await pause(LEADER_PAUSE_MS);
    }
}

/** Appends a batch. Records that Kafka permanently refuses stay in the table and are logged. */
async function appendAll(
  topic: string,
  rows: readonly Row[],
  { target, log }: Pick<CarryOptions, 'target' | 'log'>,
): Promise<void> {
  try {
    await appendPatiently(target, topic, rows);
  } catch (error) {
    if (!(error instanceof RecordsRefused)) throw error;
    for (const { index, reason } of error.refusals)
      log.error('Kafka refuses an event for good; it is not carried', {
        topic,
        offset: rows[index]?.record_offset,
        reason,
      });
  }
}

async function carryPartition(
  client: Client,
  { topic, partition, first }: Backlog,
  { target, log }: Pick<CarryOptions, 'target' | 'log'>,
): Promise<number> {
  let carried = 0;
  for (let next = first; ;) {
    const { rows } = await client.query<{ record_offset: string; key: string; value: string }>(
      `select record_offset, key, value from ${SCHEMA}.record
       where topic = $1 and partition = $2 and record_offset >= $3 order by record_offset limit ${BATCH}`,
      [topic, partition, next],
    );
    const last = rows.at(-1);
    if (!last) return carried;
    await appendAll(topic, rows, { target, log });
    next = String(BigInt(last.record_offset) + 1n);
    await client.query(
      `update ${SCHEMA}.committed_offset set next = $3 where topic = $1 and partition = $2 and next < $3`,
      [topic, partition, next],
    );
    carried += rows.length;
  }
}
