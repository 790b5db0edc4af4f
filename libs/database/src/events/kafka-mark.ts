import type { Client } from 'pg';
import { AppError, type Logger } from '@tollgate/chassis';
import { openPool } from '../orm/orm.provider.js';
import { eventLogSchema } from './event-log.migration.js';

/** A client or a pool. */
type Queryable = Pick<Client, 'query'>;

const { name: SCHEMA } = eventLogSchema;

interface MarkOptions {
  url: string;
  log: Logger;
  migrate: 'start' | 'never';
}

/**
 * Marks the database of an installation whose events are in Kafka. Without the mark, a command that lacks KAFKA_BROKERS
 * would take what is in the database for all events, and a process would silently begin an event log there, while what
 * nobody has read in Kafka is not applied.
 */
export const markKafka = (options: MarkOptions): Promise<void> =>
  withSchema(options, 'insert into on_kafka default values on conflict do nothing');

/** Removes the mark: from now on the event log is in the database. */
export const unmarkKafka = (options: MarkOptions): Promise<void> => withSchema(options, 'delete from on_kafka');

async function withSchema(options: MarkOptions, statement: string): Promise<void> {
  const pool = await openPool({ ...options, definition: eventLogSchema, poolSize: 1 });
  try {
    await pool.query(statement);
  } finally {
    await pool.end();
  }
}

/** Whether the events of this installation are in Kafka, also in a database that has no event log yet. */
export async function isOnKafka(db: Queryable): Promise<boolean> {
  const { rows: tables } = await db.query<{ there: boolean }>('select to_regclass($1) is not null as there', [
    `${SCHEMA}.on_kafka`,
  ]);
  if (tables[0]?.there !== true) return false;
  const { rowCount } = await db.query(`select from ${SCHEMA}.on_kafka`);
  return rowCount !== 0;
}

/** Removes the mark for a process that begins an event log in the database, and warns about what may be left in Kafka. */
export async function beginWithoutKafka(db: Queryable, log: Logger): Promise<void> {
  if (!(await isOnKafka(db))) return;
  log.warn(
    'the events of this installation were in Kafka until now, and KAFKA_BROKERS is not set: what nobody has read there is not applied. If "tollgate reconcile" misses something, start once more with that Kafka',
  );
  await db.query(`delete from ${SCHEMA}.on_kafka`);
}

/** Throws `events-on-kafka` if the events of this installation are in Kafka. */
export async function requireNotOnKafka(db: Queryable): Promise<void> {
  if (await isOnKafka(db))
    throw new AppError(
      'unavailable',
      'events-on-kafka',
      'The events of this installation are in Kafka: set KAFKA_BROKERS, as for its processes. If they are to be in the database again, run `tollgate events leave-kafka` first.',
    );
}
