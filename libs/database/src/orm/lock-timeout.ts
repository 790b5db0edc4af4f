import type { Migration } from '@mikro-orm/migrations';
import type { DatabaseDefinition } from '@tollgate/chassis';
import type { Client } from 'pg';

type Listed = DatabaseDefinition['migrations'][number];
type MigrationClass = Exclude<Listed, { class: unknown }>;
/** Migration classes of this product define `up`, which is abstract in the base class. */
type WholeMigration = new (
  ...args: ConstructorParameters<MigrationClass>
) => Migration & { up(): Promise<void> | void };

/** How long a migration may wait for a table lock; other users of the table have to wait behind it for as long. */
const LOCK_TIMEOUT_MS = 2000;
/** Lock time-out and deadlock: both pass when other transactions have finished. */
const BUSY = new Set(['55P03', '40P01']);

/**
 * Wraps migrations so that each gives up a lock after two seconds, because readers of a table queue behind a pending change of it.
 * Migrations outside a transaction wait without limit, because their locks allow others to read and write.
 */
export const withLockTimeout = (migrations: readonly Listed[]): { name: string; class: MigrationClass }[] =>
  migrations.map((one) =>
    'class' in one ? { name: one.name, class: bounded(one.class) } : { name: one.name, class: bounded(one) },
  );

function bounded(migration: MigrationClass): MigrationClass {
  return class extends (migration as WholeMigration) {
    override async up(): Promise<void> {
      if (this.isTransactional()) await this.execute(`set local lock_timeout = '${LOCK_TIMEOUT_MS}ms'`);
      await super.up();
    }
  };
}

/** Whether a migration failed because of another transaction's lock. */
export const isBusy = (error: unknown): boolean => BUSY.has((error as { code?: string }).code ?? '');

/** Describes the sessions that hold locks on tables of a schema, longest first: an operator must end them or wait for them. */
export async function holdersOf(admin: Client, schema: string): Promise<string> {
  const { rows } = await admin.query<{ pid: number; name: string | null; seconds: number | null }>(
    `select a."pid", a."application_name" as "name", extract(epoch from now() - a."xact_start")::int as "seconds"
     from pg_stat_activity a
     where a."pid" <> pg_backend_pid() and a."pid" in (
       select l."pid" from pg_locks l join pg_class c on c."oid" = l."relation"
       where l."granted" and c."relnamespace" = to_regnamespace(quote_ident($1))
     )
     order by a."xact_start" nulls last limit 3`,
    [schema],
  );
  if (rows.length === 0) return 'nobody any more';
  return rows
    .map(({ pid, name, seconds }) => `process ${pid} (${name || 'unnamed'}, for ${seconds ?? 'unknown'} s)`)
    .join(', ');
}
