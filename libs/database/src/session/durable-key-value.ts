import type { Pool } from 'pg';
import { openPool } from '../orm/orm.provider.js';
import { type Admission, type Logger, KeyValue } from '@tollgate/chassis';
import { sessionSchema } from './session.migration.js';

interface PersistenceOptions {
  migrate?: 'start' | 'never';
}

/** Sessions and the addresses from which users signed in before; both must survive a restart. */
const KEPT_PREFIXES = ['session:', 'known-address:'];
/** Replies stored for repeated calls, and a counter of their bytes: they must survive the process, and are too large for memory. */
const COUNTER_PREFIX = 'idempotency-bytes:';
const STORED_PREFIXES = ['idempotency:', COUNTER_PREFIX];
const PURGE_EVERY_MS = 60 * 60_000;
const POOL_SIZE = 4;

/** A key-value store that keeps sessions and related entries in a table, so that a restart signs nobody out. */
export async function durableKeyValue(
  memory: KeyValue,
  url: string,
  log: Logger,
  { migrate = 'start' }: PersistenceOptions = {},
): Promise<KeyValue> {
  const pool = await openPool({ definition: sessionSchema, url, log, migrate, poolSize: POOL_SIZE });
  const store = new DurableKeyValue(memory, pool, log);
  await store.purge();
  return store;
}

interface SessionRow {
  value: string;
  ttl: number;
}

/** For entries that must survive the process, the table is authoritative and memory is a cache; all others are in memory only. */
class DurableKeyValue extends KeyValue {
  private readonly purger: NodeJS.Timeout;
  /** Incremented by every write, so that a slow read cannot restore an entry that was deleted meanwhile. */
  private writes = 0;

  constructor(
    private readonly memory: KeyValue,
    private readonly pool: Pool,
    private readonly log: Logger,
  ) {
    super();
    this.purger = setInterval(() => void this.purge(), PURGE_EVERY_MS);
    this.purger.unref();
  }

  async get(key: string): Promise<string | undefined> {
    const cached = isStored(key) ? undefined : await this.memory.get(key);
    if (cached !== undefined || !inTable(key)) return cached;
    const before = this.writes;
    const { rows } = await this.pool.query<SessionRow>(
      'select value, extract(epoch from expires_at - now())::float8 as ttl from session where key = $1 and expires_at > now()',
      [key],
    );
    const row = rows[0];
    if (row && before === this.writes && !isStored(key)) await this.memory.set(key, row.value, row.ttl);
    return row?.value;
  }

  async set(key: string, value: string, ttlSeconds: number): Promise<void> {
    if (inTable(key)) {
      await this.pool.query(
        `insert into session (key, value, expires_at) values ($1, $2, now() + make_interval(secs => $3))
         on conflict (key) do update set value = excluded.value, expires_at = excluded.expires_at`,
        [key, value, ttlSeconds],
      );
      this.writes += 1;
    }
    if (!isStored(key)) await this.memory.set(key, value, ttlSeconds);
  }

  async delete(...keys: string[]): Promise<void> {
    const sessions = keys.filter(inTable);
    if (sessions.length > 0) await this.pool.query('delete from session where key = any($1)', [sessions]);
    this.writes += 1;
    await this.memory.delete(...keys);
  }

  async setIfAbsent(key: string, value: string, ttlSeconds: number): Promise<boolean> {
    if (!inTable(key)) return this.memory.setIfAbsent(key, value, ttlSeconds);
    const { rowCount } = await this.pool.query(
      `insert into session (key, value, expires_at) values ($1, $2, now() + make_interval(secs => $3))
       on conflict (key) do update set value = excluded.value, expires_at = excluded.expires_at where session.expires_at <= now()`,
      [key, value, ttlSeconds],
    );
    return rowCount === 1;
  }

  async extend(key: string, value: string, ttlSeconds: number): Promise<boolean> {
    if (!inTable(key)) return this.memory.extend(key, value, ttlSeconds);
    const { rowCount } = await this.pool.query(
      `update session set expires_at = now() + make_interval(secs => $3) where key = $1 and value = $2 and expires_at > now()`,
      [key, value, ttlSeconds],
    );
    const isExtended = rowCount === 1;
    if (isExtended && !isStored(key)) await this.memory.extend(key, value, ttlSeconds);
    return isExtended;
  }

  async deleteIf(key: string, value: string): Promise<boolean> {
    if (!inTable(key)) return this.memory.deleteIf(key, value);
    const { rowCount } = await this.pool.query(
      'delete from session where key = $1 and value = $2 and expires_at > now()',
      [key, value],
    );
    this.writes += 1;
    await this.memory.deleteIf(key, value);
    return rowCount === 1;
  }

  async take(key: string): Promise<string | undefined> {
    if (!inTable(key)) return this.memory.take(key);
    const { rows } = await this.pool.query<{ value: string }>(
      'delete from session where key = $1 and expires_at > now() returning value',
      [key],
    );
    this.writes += 1;
    await this.memory.delete(key);
    return rows[0]?.value;
  }

  async increment(key: string, by: number, ttlSeconds: number): Promise<number> {
    if (!inTable(key)) return this.memory.increment(key, by, ttlSeconds);
    if (!key.startsWith(COUNTER_PREFIX)) throw new Error('a session is not a counter');
    const { rows } = await this.pool.query<{ value: string }>(
      `insert into session (key, value, expires_at) values ($1, $2::bigint::text, now() + make_interval(secs => $3))
       on conflict (key) do update set
         value = case when session.expires_at <= now() then excluded.value else (session.value::bigint + $2::bigint)::text end,
         expires_at = case when session.expires_at <= now() then excluded.expires_at else session.expires_at end
       returning value`,
      [key, by, ttlSeconds],
    );
    return Number(rows[0]?.value);
  }

  admit(key: string, limit: number, windowMs: number): Promise<Admission> {
    return this.memory.admit(key, limit, windowMs);
  }

  giveBack(key: string, place: string): Promise<void> {
    return this.memory.giveBack(key, place);
  }

  publish(channel: string, message: string): Promise<void> {
    return this.memory.publish(channel, message);
  }

  subscribe(channel: string, listener: (message: string) => void): Promise<() => Promise<void>> {
    return this.memory.subscribe(channel, listener);
  }

  onLoss(listener: (isLosing: boolean) => void): () => void {
    return this.memory.onLoss(listener);
  }

  async ping(): Promise<void> {
    await this.pool.query('select 1');
    await this.memory.ping();
  }

  async stop(): Promise<void> {
    clearInterval(this.purger);
    await this.memory.stop();
    await this.pool.end();
  }

  async purge(): Promise<void> {
    try {
      await this.pool.query('delete from session where expires_at <= now()');
    } catch (error) {
      this.log.warn('sessions that ended could not be removed', { error });
    }
  }
}

const isStored = (key: string): boolean => STORED_PREFIXES.some((prefix) => key.startsWith(prefix));

const inTable = (key: string): boolean => isStored(key) || KEPT_PREFIXES.some((prefix) => key.startsWith(prefix));
