import { setTimeout as pause } from 'node:timers/promises';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { Client } from 'pg';
import { AppError } from '@tollgate/chassis';

const ATTEMPT_MS = 200;

/**
 * One process at a time prepares and migrates a schema; the lock ends with the connection, so a killed one blocks nobody. Others ask again and
 * again: a statement that waits inside of the database would be waited for by an index that is built concurrently, and both for ever.
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

export async function migrate(orm: MikroORM, schema: string): Promise<void> {
  try {
    await orm.migrator.up();
  } catch (error) {
    throw new AppError(
      'unavailable',
      'migration-failed',
      `A migration of schema "${schema}" failed: ${(error as Error).message}`,
      { cause: error },
    );
  }
}

/** With migrations left to a job, a service must not run on an older schema than its own. */
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
