import type { Client } from 'pg';
import type { KeyValue, Logger } from '@tollgate/chassis';
import { connectPatiently, sessionSchema } from '@tollgate/database';

export interface CarrySessionsOptions {
  /** The database that kept the sessions before. */
  url: string;
  /** Where they are kept from now on. */
  target: Pick<KeyValue, 'setIfAbsent'>;
  log: Logger;
}

interface Row {
  key: string;
  value: string;
  /** Seconds. */
  ttl: number;
}

const { name: SCHEMA } = sessionSchema;
const BATCH = 500;

/**
 * Brings sessions, and the places people signed in from, to Redis when an installation goes over to it, so that nobody is signed out.
 * Rows leave the table with the batch that Redis has taken; a start that is killed in the middle of one is repeated by the next.
 * Resolves to the number of rows.
 */
export async function carrySessions({ url, target, log }: CarrySessionsOptions): Promise<number> {
  const client = await connectPatiently(url, log);
  try {
    if (!(await hasTable(client))) return 0;
    // Replicas that start together come one after the other; the lock ends with the connection.
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', ['tollgate:carry-sessions']);
    let carried = 0;
    for (;;) {
      const count = await carryBatch(client, target);
      carried += count;
      if (count < BATCH) break;
    }
    if (carried > 0) log.info('carried sessions from the database to Redis', { rows: carried });
    return carried;
  } finally {
    await client.end();
  }
}

async function hasTable(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [
    `${SCHEMA}.session`,
  ]);
  return rows[0]?.there ?? false;
}

async function carryBatch(client: Client, target: Pick<KeyValue, 'setIfAbsent'>): Promise<number> {
  await client.query('begin');
  try {
    const { rows } = await client.query<Row>(
      `delete from ${SCHEMA}.session where key in (select key from ${SCHEMA}.session order by key limit ${BATCH})
       returning key, value, extract(epoch from expires_at - now())::float8 as ttl`,
    );
    await Promise.all(
      rows.filter(({ ttl }) => ttl > 0).map(({ key, value, ttl }) => target.setIfAbsent(key, value, ttl)),
    );
    await client.query('commit');
    return rows.length;
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}
