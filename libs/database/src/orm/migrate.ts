import type { MikroORM } from '@mikro-orm/postgresql';
import type { Client } from 'pg';
import { AppError } from '@tollgate/chassis';

/** One process at a time prepares and migrates a schema; the lock ends with the connection, so a killed one blocks nobody. */
export async function withSchemaLock<T>(admin: Client, schema: string, work: () => Promise<T>): Promise<T> {
  const key = `tollgate:migrate:${schema}`;
  await admin.query('select pg_advisory_lock(hashtextextended($1, 0))', [key]);
  try {
    return await work();
  } finally {
    await admin.query('select pg_advisory_unlock(hashtextextended($1, 0))', [key]);
  }
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
