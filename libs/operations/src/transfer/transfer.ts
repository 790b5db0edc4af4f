import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { allSchemas, type AppliedMigrations, migrateAll } from '../migrate/all-schemas.js';
import { connectPatiently, placeOf } from '@tollgate/database';
import { AppError, type Logger, type ServiceDefinition, productVersion } from '@tollgate/chassis';
import {
  type Catalogue,
  existingSchemas,
  pinTextForms,
  quoted,
  readCatalogue,
  sumOf,
  type TableShape,
  type TableSum,
} from './catalogue.js';
import { type ExportHeader, ExportReader, ExportWriter, unreadable } from './export-file.js';

interface TransferOptions {
  services: readonly ServiceDefinition[];
  url: string;
  log: Logger;
  file: string;
  say(line: string): void;
}

/** Summary of an export or import. */
export interface TransferReport {
  tables: number;
  rows: number;
  proofs: Record<string, string>;
}

const PATIENCE_MS = 2_000;

/**
 * Exports everything that the product keeps in the database into one file, from a single snapshot. `keyCheck`
 * identifies the secret key in use.
 */
export async function exportData(options: TransferOptions & { keyCheck: string }): Promise<TransferReport> {
  const { services, url, log, file, keyCheck } = options;
  const client = await connectPatiently(url, log);
  try {
    await pinTextForms(client);
    await requireIdle(client, url);
    // An import creates the current schema, into which rows of an older one would not fit.
    const migrations = await migrateAll(services, { url, log });
    await client.query('begin isolation level repeatable read read only');
    const { tables, ...more } = await readCatalogue(client, Object.keys(migrations));
    const header: ExportHeader = {
      format: 'tollgate-export',
      formatVersion: 1,
      product: productVersion,
      madeAt: new Date().toISOString(),
      keyCheck,
      migrations,
      ...more,
      proofs: await readProofs(client, services),
    };
    const report = await writeFile(client, { file, header, tables, options });
    await client.query('commit');
    return report;
  } finally {
    await client.end();
  }
}

async function writeFile(
  client: Client,
  parts: { file: string; header: ExportHeader; tables: readonly TableShape[]; options: TransferOptions },
): Promise<TransferReport> {
  const writer = new ExportWriter(parts.file);
  let total = 0;
  try {
    await writer.line(parts.header);
    for (const table of parts.tables) {
      const sum = await sumOf(client, table);
      await writer.line({ table, ...sum });
      await writer.rows(client.query(copyTo(`copy (select ${columnsOf(table)} from ${quoted(table)}) to stdout`)));
      parts.options.say(lineOf(table, sum));
      total += Number(sum.rows);
    }
    // A process that connected meanwhile may have changed data that are not in the file.
    await requireIdle(client, parts.options.url);
    await writer.finish();
  } catch (error) {
    await writer.discard();
    throw error;
  }
  return { tables: parts.tables.length, rows: total, proofs: parts.header.proofs };
}

/**
 * Imports a file into an empty database. One of the accepted secret keys must have been in use at the time of the
 * export. Either everything is imported and verified, or nothing.
 */
export async function importData(options: TransferOptions & { keyChecks: readonly string[] }): Promise<TransferReport> {
  const { services, url, log, file } = options;
  const reader = new ExportReader(file);
  const client = await connectPatiently(url, log);
  try {
    const header = await reader.header();
    requireSameKey(file, header, options.keyChecks);
    await pinTextForms(client);
    await requireEmpty(client, services, url);
    try {
      requireSameMigrations(file, header.migrations, await migrateAll(services, { url, log }));
      await client.query('begin');
      const report = await fill(client, { reader, header, options });
      await client.query('commit');
      return report;
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      await dropSchemas(client, services).catch((failure: unknown) =>
        log.error('what this import created could not be removed', { error: failure }),
      );
      throw error;
    }
  } finally {
    await reader.close();
    await client.end();
  }
}

/** All schemas were created by this import; without them the next attempt finds the database as empty as before. */
async function dropSchemas(client: Client, services: readonly ServiceDefinition[]): Promise<void> {
  for (const { name } of allSchemas(services)) await client.query(`drop schema if exists "${name}" cascade`);
}

async function fill(
  client: Client,
  { reader, header, options }: { reader: ExportReader; header: ExportHeader; options: TransferOptions },
): Promise<TransferReport> {
  const schemas = Object.keys(header.migrations);
  await makePartitions(client, header.partitions);
  const { tables } = await readCatalogue(client, schemas);
  // Disables the triggers that keep sums, because the sums are in the file.
  await client.query(`set local tollgate.importing = 'on'`);
  // Removes rows that migrations have inserted.
  await client.query(`truncate ${tables.map(quoted).join(', ')}`);
  const missing = new Set(tables.map(quoted));
  let total = 0;
  for (let section = await reader.section(); section; section = await reader.section()) {
    const { table, ...expected } = section;
    if (!missing.delete(quoted(table))) throw unreadable(options.file, `there is no place for table ${quoted(table)}`);
    await pipeline(reader.rows(), client.query(copyFrom(`copy ${quoted(table)} (${columnsOf(table)}) from stdin`)));
    const found = await sumOf(client, table);
    if (found.rows !== expected.rows || found.checksum !== expected.checksum)
      throw unreadable(
        options.file,
        `table ${quoted(table)} arrived changed: ${found.rows} rows of ${expected.rows}, or other contents`,
      );
    options.say(lineOf(table, found));
    total += Number(found.rows);
  }
  if (missing.size > 0) throw unreadable(options.file, `it lacks ${[...missing].join(', ')}`);
  for (const { schema, name, lastValue, isCalled } of header.sequences)
    await client.query('select setval($1, $2, $3)', [quoted({ schema, name }), lastValue, isCalled]);
  const proofs = await readProofs(client, options.services);
  for (const [name, value] of Object.entries(header.proofs))
    if (proofs[name] !== value) throw unreadable(options.file, `${name} is ${proofs[name]} instead of ${value}`);
  return { tables: tables.length, rows: total, proofs };
}

/** Creates partitions as the owner of their parent table, so that the service may use and drop them. */
async function makePartitions(client: Client, partitions: Catalogue['partitions']): Promise<void> {
  for (const { schema, name, parent, bound } of partitions) {
    const { rows } = await client.query<{ owner: string }>(
      'select pg_get_userbyid(relowner) as owner from pg_class where oid = $1::regclass',
      [quoted({ schema, name: parent })],
    );
    await client.query(`set local role ${client.escapeIdentifier(rows[0]?.owner ?? '')}`);
    await client.query(
      `create table if not exists ${quoted({ schema, name })} partition of ${quoted({ schema, name: parent })} ${bound}`,
    );
    await client.query('reset role');
  }
}

async function readProofs(client: Client, services: readonly ServiceDefinition[]): Promise<Record<string, string>> {
  const proofs: Record<string, string> = {};
  for (const { name: schema, database } of services) {
    for (const [name, text] of Object.entries(database?.proofs ?? {})) {
      await client.query(`set local search_path = "${schema}"`);
      const { rows } = await client.query<{ value: string }>(text);
      proofs[`${schema}: ${name}`] = String(rows[0]?.value ?? 0);
    }
  }
  await client.query('set local search_path = default');
  return proofs;
}

/** Throws while processes of the product are connected, which are recognised by their application name. */
async function requireIdle(client: Client, url: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const { rows } = await client.query<{ name: string }>(
      `select distinct application_name as name from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and application_name like 'tollgate-%' order by 1`,
    );
    if (rows.length === 0) return;
    // A process that has just stopped may take a moment to disconnect.
    if (performance.now() > deadline) throw inUse(url, rows);
    await pause(100);
  }
}

const inUse = (url: string, rows: readonly { name: string }[]): AppError =>
  new AppError(
    'unavailable',
    'installation-in-use',
    `Tollgate still runs on ${placeOf(url)} (${rows.map(({ name }) => name).join(', ')}). Stop it first.`,
  );

async function requireEmpty(client: Client, services: readonly ServiceDefinition[], url: string): Promise<void> {
  await requireIdle(client, url);
  const schemas = allSchemas(services).map(({ name }) => name);
  const found = await existingSchemas(client, schemas);
  if (found.length === 0) return;
  throw new AppError(
    'invalid',
    'target-not-empty',
    `The target ${placeOf(url)} has the schemas ${found.join(', ')} already. An import needs a database without them: create a new one.`,
  );
}

function requireSameKey(file: string, { keyCheck }: ExportHeader, own: readonly string[]): void {
  if (own.includes(keyCheck)) return;
  throw unreadable(
    file,
    'it was made with another secret key, and without that key nobody can read its provider keys and tokens; set TOLLGATE_SECRET_KEY, or copy the file secret-key into the data folder',
  );
}

function requireSameMigrations(file: string, theirs: AppliedMigrations, ours: AppliedMigrations): void {
  if (JSON.stringify(theirs) === JSON.stringify(ours)) return;
  throw unreadable(
    file,
    'its schema is not the one of this version; export and import with the same version of Tollgate',
  );
}

const columnsOf = ({ columns }: TableShape): string =>
  columns.map((column) => `"${column.replaceAll('"', '""')}"`).join(', ');

const lineOf = ({ schema, name }: TableShape, { rows }: TableSum): string => `  ${schema}.${name}: ${rows} rows`;
