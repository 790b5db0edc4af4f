import type { Client } from 'pg';
import {
  AppError,
  type Logger,
  type SealedColumn,
  type SecretBox,
  type ServiceDefinition,
  Unopened,
} from '@tollgate/chassis';
import { connectPatiently, servicesWithoutKey } from '@tollgate/database';
import { quoted } from '../transfer/catalogue.js';

/** Number of ciphertexts in one column. */
export interface SealedCount {
  /** `schema.table.column` */
  place: string;
  all: number;
  /** Number of those that are not sealed with the key in use. */
  left: number;
}

interface RotateReport {
  places: SealedCount[];
  resealed: number;
  /** Rows that none of the configured keys opens: `schema.table.column 17`. */
  unreadable: string[];
}

interface RotateOptions {
  services: readonly ServiceDefinition[];
  url: string;
  log: Logger;
  secrets: SecretBox;
  /** Rows per transaction, which are locked until they are sealed. */
  batch?: number;
}

interface SealedPlace extends SealedColumn {
  schema: string;
  name: string;
}

interface Tally extends Pick<RotateReport, 'resealed' | 'unreadable'> {
  options: RotateOptions;
}

const BATCH = 200;
/** Limit of the list of unreadable rows; with as many as that, a key is missing. */
const NAMED = 50;

const placesOf = (services: readonly ServiceDefinition[]): SealedPlace[] =>
  services.flatMap(({ name: schema, database }) =>
    (database?.seals ?? []).map((seal) => ({ ...seal, schema, name: `${schema}.${seal.table}.${seal.column}` })),
  );

/** Counts the ciphertexts by column, and those that are not sealed with the key in use. */
export async function countSealed({ services, url, log, secrets }: RotateOptions): Promise<SealedCount[]> {
  const client = await connectPatiently(url, log);
  try {
    return await counted(client, placesOf(services), secrets);
  } finally {
    await client.end();
  }
}

/**
 * Reseals everything that is not sealed with the key in use, and recomputes the hashes that depend on the key. Each
 * batch is a transaction, and each ciphertext tells whether it is done; so the command may be killed and repeated, run
 * twice at once, and run while services are up. What these seal meanwhile with another key is counted as left. Throws
 * `secret-key-unknown`, before it changes anything, while a running process with tables does not accept the key in use.
 */
export async function rotateSecrets(options: RotateOptions): Promise<RotateReport> {
  const { services, url, log, secrets } = options;
  const places = placesOf(services);
  const client = await connectPatiently(url, log);
  const tally: Tally = { options, unreadable: [], resealed: 0 };
  try {
    await requireKeyKnown(client, secrets);
    for (const place of places) await resealColumn(client, place, tally);
    const { resealed, unreadable } = tally;
    return { places: await counted(client, places, secrets), resealed, unreadable: unreadable.slice(0, NAMED) };
  } finally {
    await client.end();
  }
}

/**
 * Processes could not read any more what is sealed with a key that they do not accept. Only processes with tables tell
 * their keys: relays and gateways are not checked.
 */
async function requireKeyKnown(client: Client, { keyId }: SecretBox): Promise<void> {
  const lacking = await servicesWithoutKey(client, keyId);
  if (lacking.length === 0) return;
  throw new AppError(
    'invalid',
    'secret-key-unknown',
    `Nothing was rotated: running processes of ${lacking.join(', ')} do not accept the secret key ${keyId}, which is in use here. Set TOLLGATE_SECRET_KEY and TOLLGATE_SECRET_KEY_PREVIOUS here as for them, or first restart them with the keys of this command.`,
  );
}

async function counted(client: Client, places: readonly SealedPlace[], { keyId }: SecretBox): Promise<SealedCount[]> {
  const counts: SealedCount[] = [];
  for (const place of places) {
    const { rows } = await client.query<{ all: string; left: string }>(
      `select count(*) as "all", count(*) filter (where ${isLeft(place)}) as "left" from ${tableOf(place)} where ${isSealed(place)}`,
      [`%.${keyId}`],
    );
    counts.push({ place: place.name, all: Number(rows[0]?.all ?? 0), left: Number(rows[0]?.left ?? 0) });
  }
  return counts;
}

async function resealColumn(client: Client, place: SealedPlace, tally: Tally): Promise<void> {
  let last: unknown;
  for (;;) {
    await client.query('begin');
    try {
      const rows = await nextRows(client, place, { options: tally.options, last });
      for (const row of rows) await resealRow(client, { place, row, tally });
      await client.query('commit');
      if (rows.length === 0) return;
      last = rows.at(-1)?.[place.id];
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    }
  }
}

async function resealRow(
  client: Client,
  { place, row, tally }: { place: SealedPlace; row: Record<string, unknown>; tally: Tally },
): Promise<void> {
  const id = row[place.id];
  const changed = anew(place, row, tally.options.secrets);
  if (changed) {
    await write(client, place, { id, changed });
    tally.resealed += 1;
  } else {
    tally.unreadable.push(`${place.name} ${String(id)}`);
  }
}

/** Selects the next rows and locks them, so that they cannot change before they are written. */
async function nextRows(
  client: Client,
  place: SealedPlace,
  { options: { secrets, batch = BATCH }, last }: { options: RotateOptions; last: unknown },
): Promise<Record<string, unknown>[]> {
  const columns = [place.id, place.column, ...(place.reads ?? [])].map((name) => client.escapeIdentifier(name));
  const { rows } = await client.query<Record<string, unknown>>(
    `select ${columns.join(', ')} from ${tableOf(place)} where ${isSealed(place)} and ${isLeft(place)}
     ${last === undefined ? '' : `and "${place.id}" > $3`} order by "${place.id}" limit $2 for update`,
    [`%.${secrets.keyId}`, batch, ...(last === undefined ? [] : [last])],
  );
  return rows;
}

/** The new values of a row; undefined if no key opens it. */
function anew(
  place: SealedPlace,
  row: Record<string, unknown>,
  secrets: SecretBox,
): Record<string, unknown> | undefined {
  try {
    return place.reseal(row, secrets);
  } catch (error) {
    if (error instanceof Unopened) return undefined;
    throw error;
  }
}

async function write(
  client: Client,
  place: SealedPlace,
  { id, changed }: { id: unknown; changed: Record<string, unknown> },
): Promise<void> {
  const names = Object.keys(changed);
  const sets = names.map((name, index) => `${client.escapeIdentifier(name)} = $${index + 2}`);
  await client.query(`update ${tableOf(place)} set ${sets.join(', ')} where "${place.id}" = $1`, [
    id,
    ...names.map((name) => changed[name]),
  ]);
}

const tableOf = ({ schema, table: name }: SealedPlace): string => quoted({ schema, name });
const isSealed = ({ column, where }: SealedPlace): string => `"${column}" is not null${where ? ` and ${where}` : ''}`;
/** Selects rows whose ciphertext does not end with the id of the key in use. */
const isLeft = ({ column }: SealedPlace): string => `"${column}" not like $1`;
