import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  type ExportedCost,
  type ExportedPrices,
  isSignedBy,
  JournalReplay,
  type ReplayedRow,
  type ReplayReport,
} from '@tollgate/billing';
import { AppError } from '@tollgate/chassis';
import type { Query } from '@tollgate/billing';
import { withBilling } from './billing-query.js';
import { readFlags, refuseRest } from './arguments.js';
import { say } from './installation.js';
import { linesOf } from './lines.js';

const BATCH = 1_000;
/** Batch size; a price document has a hundred kilobytes and more. */
const PRICES = 20;

/** Posts the rows of an export that this installation's journal does not have. */
export async function replayJournal(args: readonly string[]): Promise<void> {
  const [name, publicKey, ...more] = readFlags(args, {}).rest;
  refuseRest(more);
  if (name === undefined || publicKey === undefined)
    throw new AppError('invalid', 'arguments-invalid', 'Say journal replay <folder of an export> <public key>.');
  const folder = resolve(process.env['INIT_CWD'] ?? '.', name);
  await withBilling(
    async (query) => {
      const { rows, posted, prices, states, numbers } = await replayExport(query, folder, publicKey);
      say(`${posted} of ${rows} rows were posted, the others were there; ${prices} price versions were added.`);
      if (states > 0) say(`${states} orders and codes were put to what was posted of them.`);
      if (numbers > 0)
        say('New users, keys, codes and approvals get other numbers than those of the export, which are not all here.');
      say(
        '`reconcile` tells what else the database lacks: orders, codes, keys and users that are younger than the backup.',
      );
    },
    { writes: true },
  );
}

/**
 * Replays a whole export, after checking that its files are those that the key has signed. Throws `export-unsigned` or
 * `export-changed`.
 */
export async function replayExport(query: Query, folder: string, publicKey: string): Promise<ReplayReport> {
  const files = await requireSigned(folder, publicKey);
  const replay = new JournalReplay(query);
  const prices = valuesOf<ExportedPrices>(folder, 'prices.ndjson');
  for await (const batch of batchesOf(prices, PRICES)) await replay.addPrices(batch);
  // Exports of older versions contain no costs.
  const rows = valuesOf<ReplayedRow>(folder, 'journal.ndjson');
  const costed = files.includes('costs.ndjson')
    ? withCosts(rows, valuesOf<ExportedCost>(folder, 'costs.ndjson'))
    : rows;
  for await (const batch of batchesOf(costed, BATCH)) await replay.addRows(batch);
  await replay.keepNumbers();
  return replay.report;
}

/** Adds its cost to each row that has one; both files are in the same order. */
async function* withCosts(
  rows: AsyncIterable<ReplayedRow>,
  costs: AsyncGenerator<ExportedCost>,
): AsyncGenerator<ReplayedRow> {
  const following = async (): Promise<ExportedCost | undefined> => {
    const { value, done } = await costs.next();
    return done === true ? undefined : value;
  };
  let cost = await following();
  for await (const row of rows) {
    if (row.id !== cost?.id) {
      yield row;
      continue;
    }
    yield { ...row, ...cost };
    cost = await following();
  }
}

/** Returns the names of the files. */
async function requireSigned(folder: string, publicKey: string): Promise<string[]> {
  const text = readFileSync(join(folder, 'manifest.json'), 'utf8');
  const signature = readFileSync(join(folder, 'manifest.sig'), 'utf8').trim();
  if (!isSignedBy(publicKey, { text, signature }))
    throw new AppError(
      'invalid',
      'export-unsigned',
      'The manifest of the export is not signed by that key. Verify the export.',
    );
  const { files } = JSON.parse(text) as { files: Record<string, { sha256: string }> };
  for (const [name, { sha256 }] of Object.entries(files)) {
    const hash = createHash('sha256');
    for await (const part of createReadStream(join(folder, name)) as AsyncIterable<Buffer>) hash.update(part);
    if (hash.digest('hex') !== sha256)
      throw new AppError('invalid', 'export-changed', `${name} is not the file that was exported. Verify the export.`);
  }
  return Object.keys(files);
}

async function* valuesOf<Value>(folder: string, name: string): AsyncGenerator<Value> {
  for await (const line of linesOf(createReadStream(join(folder, name), 'utf8')))
    if (line !== '') yield JSON.parse(line) as Value;
}

async function* batchesOf<Value>(values: AsyncIterable<Value>, size: number): AsyncGenerator<Value[]> {
  let batch: Value[] = [];
  for await (const value of values) {
    batch.push(value);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
