import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { connectPatiently, eventLogSchema } from '@tollgate/database';
import { AppError, type Logger, type EventLog, RecordsRefused } from '@tollgate/chassis';

export interface CarryOptions {
  /** The database whose own event log was in use before. */
  url: string;
  /** Where events go from now on. */
  target: Pick<EventLog, 'append'>;
  log: Logger;
  /** How long to wait for a process that is just stopping. */
  patienceMs?: number;
}

interface Backlog {
  topic: string;
  partition: number;
  /** The first offset that some group has not committed. */
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

/**
 * Brings to Kafka what some group had not read in the database's own event log when that was given up. A group that had
 * read a record gets it a second time, under the same event id, which is how consumers know it. A record counts as read
 * only once Kafka has it, so a start that is killed here is repeated by the next. Resolves to the number of records.
 */
export async function carryEvents({ url, target, log, patienceMs = PATIENCE_MS }: CarryOptions): Promise<number> {
  const client = await connectPatiently(url, log);
  try {
    if (!(await hasEventLog(client))) return 0;
    // Replicas that start together come one after the other; the locks end with the connection.
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', ['tollgate:carry-events']);
    await requireUnused(client, patienceMs);
    let carried = 0;
    for (const backlog of await backlogs(client)) carried += await carryPartition(client, backlog, { target, log });
    if (carried > 0) log.info('carried unread events from the database to Kafka', { events: carried });
    return carried;
  } finally {
    await client.end();
  }
}

async function hasEventLog(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [
    `${SCHEMA}.committed_offset`,
  ]);
  return rows[0]?.there ?? false;
}

/** Whoever still appends to the table would be heard by nobody. It holds the lock of the log's only process. */
async function requireUnused(client: Client, patienceMs: number): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const { rows } = await client.query<{ free: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as free',
      [`tollgate:leader:${SCHEMA}`],
    );
    if (rows[0]?.free) return;
    if (performance.now() > deadline) {
      throw new AppError(
        'unavailable',
        'event-log-in-use',
        'A Tollgate process without KAFKA_BROKERS still runs on this database and keeps its events there. Stop it, then start again: what nobody has read yet is carried to Kafka.',
      );
    }
    await pause(100);
  }
}

async function backlogs(client: Client): Promise<Backlog[]> {
  const { rows } = await client.query<Backlog>(
    `select c.topic, c.partition, min(c.next)::text as first from ${SCHEMA}.committed_offset c
     join ${SCHEMA}.topic_partition t on t.topic = c.topic and t.partition = c.partition
     where c.next < t.next group by c.topic, c.partition order by c.topic, c.partition`,
  );
  return rows;
}

/** A broker may not lead the partitions of a new topic for some seconds after it said so; what it took meanwhile comes a second time. */
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

/** What Kafka refuses for good stays behind, in the table and in a line of the log. */
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
