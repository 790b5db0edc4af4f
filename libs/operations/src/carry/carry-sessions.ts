import type { Client } from 'pg';
import type { KeyValue, Logger } from '@tollgate/chassis';
import { connectPatiently, sessionSchema } from '@tollgate/database';

interface CarrySessionsOptions {
  /** The database in which sessions were stored before. */
  url: string;
  /** The store that is used from now on. */
  target: Pick<KeyValue, 'setIfAbsent'>;
  log: Logger;
}

interface Row {
  key: string;
  value: string;
  /** Remaining lifetime in seconds. */
  ttl: number;
}

const { name: SCHEMA } = sessionSchema;
const BATCH = 500;

/**
 * Moves sessions, and the places people signed in from, to Redis when an installation begins to use it, so that nobody
 * is signed out. Rows are deleted from the table together with the batch that Redis has stored, so if this process is
 * killed, the next start carries on. Resolves to the number of rows.
 */
export async function carrySessions({ url, target, log }: CarrySessionsOptions): Promise<number> {
  const client = await connectPatiently(url, log);
  try {
    if (!(await hasTable(client))) return 0;
    // Replicas that start at the same time take turns; the lock is released with the connection.
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
