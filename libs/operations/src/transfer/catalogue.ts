import type { Client } from 'pg';

/** A table whose rows are exported. Rows of partitions count as their parent's. */
export interface TableShape {
  schema: string;
  name: string;
  columns: string[];
}

interface PartitionShape {
  schema: string;
  name: string;
  parent: string;
  /** `FOR VALUES …` or `DEFAULT`. */
  bound: string;
}

interface SequenceState {
  schema: string;
  name: string;
  lastValue: string;
  isCalled: boolean;
}

/** What an export contains besides the tables that migrations create. */
export interface Catalogue {
  tables: TableShape[];
  partitions: PartitionShape[];
  sequences: SequenceState[];
}

/** The table of applied migrations. */
const MIGRATION_TABLE = 'migration';
/** Not exported, because they tell about this database: the copy has its migrations, and its events where it wants. */
const OWN_TABLES = [MIGRATION_TABLE, 'on_kafka'];

export const quoted = ({ schema, name }: { schema: string; name: string }): string =>
  [schema, name].map((part) => `"${part.replaceAll('"', '""')}"`).join('.');

export async function readCatalogue(client: Client, schemas: readonly string[]): Promise<Catalogue> {
  return {
    tables: await tablesOf(client, schemas),
    partitions: await partitionsOf(client, schemas),
    sequences: await sequencesOf(client, schemas),
  };
}

export async function existingSchemas(client: Client, schemas: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select nspname as name from pg_namespace where nspname = any($1) order by nspname',
    [schemas],
  );
  return rows.map(({ name }) => name);
}

/** All tables, ordered so that rows come after those they refer to. */
async function tablesOf(client: Client, schemas: readonly string[]): Promise<TableShape[]> {
  const { rows } = await client.query<TableShape & { oid: number; needs: number[] }>(
    `select c.oid::int as oid, n.nspname as schema, c.relname as name,
       (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
       (select coalesce(array_agg(f.confrelid::int), '{}') from pg_constraint f
        where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as needs
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = any($1) and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> all($2)
     order by n.nspname, c.relname`,
    [schemas, OWN_TABLES],
  );
  const ordered: typeof rows = [];
  const place = (row: (typeof rows)[number]): void => {
    if (ordered.includes(row)) return;
    for (const oid of row.needs) rows.filter((other) => other.oid === oid).forEach(place);
    ordered.push(row);
  };
  rows.forEach(place);
  return ordered.map(({ schema, name, columns }) => ({ schema, name, columns }));
}

async function partitionsOf(client: Client, schemas: readonly string[]): Promise<PartitionShape[]> {
  const { rows } = await client.query<PartitionShape>(
    `select n.nspname as schema, c.relname as name, p.relname as parent, pg_get_expr(c.relpartbound, c.oid) as bound
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     join pg_inherits i on i.inhrelid = c.oid join pg_class p on p.oid = i.inhparent
     where n.nspname = any($1) and c.relispartition and c.relkind = 'r' order by n.nspname, c.relname`,
    [schemas],
  );
  return rows;
}

async function sequencesOf(client: Client, schemas: readonly string[]): Promise<SequenceState[]> {
  const { rows } = await client.query<{ schema: string; name: string }>(
    `select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = any($1) and c.relkind = 'S'
       and not exists (select from pg_depend d join pg_class t on t.oid = d.refobjid where d.objid = c.oid and t.relname = $2)
     order by n.nspname, c.relname`,
    [schemas, MIGRATION_TABLE],
  );
  const states: SequenceState[] = [];
  for (const row of rows) {
    const { rows: state } = await client.query<{ last: string; called: boolean }>(
      `select last_value::text as last, is_called as called from ${quoted(row)}`,
    );
    states.push({ ...row, lastValue: state[0]?.last ?? '1', isCalled: state[0]?.called ?? false });
  }
  return states;
}

/** Row count and checksum of a table, independent of the order of its rows. */
export interface TableSum {
  rows: string;
  checksum: string;
}

export async function sumOf(client: Client, table: TableShape): Promise<TableSum> {
  const { rows } = await client.query<TableSum>(
    `select count(*)::text as rows, coalesce(sum(('x' || substr(md5(t::text), 1, 15))::bit(60)::bigint), 0)::text as checksum
     from ${quoted(table)} t`,
  );
  return rows[0] ?? { rows: '0', checksum: '0' };
}

/**
 * Fixes the settings that influence how values are written as text, so that checksums of two servers can be compared.
 */
export async function pinTextForms(client: Client): Promise<void> {
  for (const setting of [
    `datestyle = 'ISO, MDY'`,
    `timezone = 'UTC'`,
    `intervalstyle = 'postgres'`,
    'extra_float_digits = 1',
    `bytea_output = 'hex'`,
  ])
    await client.query(`set ${setting}`);
}
