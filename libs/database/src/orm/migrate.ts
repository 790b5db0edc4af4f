import { setTimeout as pause } from 'node:timers/promises';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { Client } from 'pg';
import { AppError, type Logger } from '@tollgate/chassis';
import { holdersOf, isBusy } from './lock-timeout.js';

const ATTEMPT_MS = 200;
/** Pauses between attempts to get a lock, in which waiting users of the table can proceed; a bit more than a minute in total. */
const PAUSES_MS: readonly number[] = [500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000, 10_000];

/**
 * Ensures that one process at a time prepares and migrates a schema. The lock ends with the connection, so a killed process blocks no
 * others. Others poll for it: a statement waiting inside the database would be waited for by a concurrent index build, and both would wait
 * forever.
 */
export async function withSchemaLock<T>(admin: Client, schema: string, work: () => Promise<T>): Promise<T> {
  const key = `tollgate:migrate:${schema}`;
  while (!(await tryLock(admin, key))) await pause(ATTEMPT_MS);
  try {
    return await work();
  } finally {
    await admin.query('select pg_advisory_unlock(hashtextextended($1, 0))', [key]);
  }
}

async function tryLock(admin: Client, key: string): Promise<boolean> {
  const { rows } = await admin.query<{ won: boolean }>('select pg_try_advisory_lock(hashtextextended($1, 0)) as won', [
    key,
  ]);
  return rows[0]?.won === true;
}

/** What migrations act on, and the connection that queries who blocks them. */
interface Migrating {
  orm: MikroORM;
  schema: string;
  admin: Client;
  log: Logger;
}

/**
 * Brings a schema up to date. A migration that does not get a lock stops waiting, logs who holds it, and tries again after each of the
 * pauses; after the last one it fails with `migration-blocked`.
 */
export async function migrate({ orm, schema, admin, log }: Migrating, pausesMs = PAUSES_MS): Promise<void> {
  for (const wait of [...pausesMs, undefined]) {
    try {
      await orm.migrator.up();
      return;
    } catch (error) {
      if (!isBusy(error)) throw failed(schema, error as Error);
      const holders = await holdersOf(admin, schema);
      if (wait === undefined) throw blocked(schema, holders, error as Error);
      log.warn(`a migration of schema "${schema}" needs a table that is in use, trying again in ${wait / 1000} s`, {
        holders,
      });
      await pause(wait);
    }
  }
}

const failed = (schema: string, error: Error): AppError =>
  new AppError('unavailable', 'migration-failed', `A migration of schema "${schema}" failed: ${error.message}`, {
    cause: error,
  });

const blocked = (schema: string, holders: string, error: Error): AppError =>
  new AppError(
    'unavailable',
    'migration-blocked',
    `A migration of schema "${schema}" did not get a table, which is still as it was. Locks there have: ${holders}. Wait for these or end them (pg_terminate_backend), then run \`migrate\` again.`,
    { cause: error },
  );

/** When a job runs migrations, a service must not run on a schema older than it expects. */
export async function requireMigrated(orm: MikroORM, schema: string): Promise<void> {
  const pending = await orm.migrator.getPending();
  if (pending.length === 0) return;
  const names = pending.map(({ name }) => name).join(', ');
  throw new AppError(
    'unavailable',
    'schema-outdated',
    `Schema "${schema}" lacks the migrations ${names}. Run \`migrate\` first, or set TOLLGATE_MIGRATE=start.`,
  );
}
