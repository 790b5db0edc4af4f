import type { Migration } from '@mikro-orm/migrations';
import type { DatabaseDefinition } from '@tollgate/chassis';
import type { Client } from 'pg';

type Listed = DatabaseDefinition['migrations'][number];
type MigrationClass = Exclude<Listed, { class: unknown }>;
/** What a migration of this product is made of; the base class leaves `up` open. */
type WholeMigration = new (
  ...args: ConstructorParameters<MigrationClass>
) => Migration & { up(): Promise<void> | void };

/** So long a migration may wait for a table, and so long whoever uses the table next waits behind it. */
const LOCK_TIMEOUT_MS = 2000;
/** A lock that did not come in time, and a deadlock: both are over once others have finished. */
const BUSY = new Set(['55P03', '40P01']);

/**
 * The same migrations, each of which gives up a lock that it does not get in two seconds: whoever wants to read a table queues behind a change
 * of the table that waits. Those outside of a transaction wait, because what they take lets others read and write.
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

/** Whether a migration failed because somebody else had what it needed. */
export const isBusy = (error: unknown): boolean => BUSY.has((error as { code?: string }).code ?? '');

/** Who holds locks on tables of a schema, for longest first: what a person has to end, or to wait for. */
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
