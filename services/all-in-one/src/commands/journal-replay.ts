import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type ChainedRow, type ExportedPrices, isSignedBy, JournalReplay, type ReplayReport } from '@tollgate/billing';
import { AppError } from '@tollgate/chassis';
import type { Query } from '@tollgate/billing';
import { withBilling } from './billing-query.js';
import { readFlags, refuseRest } from './arguments.js';
import { say } from './installation.js';
import { linesOf } from './lines.js';

const BATCH = 1_000;

/** Posts what an export has and the journal of this installation has not. */
export async function replayJournal(args: readonly string[]): Promise<void> {
  const [name, publicKey, ...more] = readFlags(args, {}).rest;
  refuseRest(more);
  if (name === undefined || publicKey === undefined)
    throw new AppError('invalid', 'arguments-invalid', 'Say journal replay <folder of an export> <public key>.');
  const folder = resolve(process.env['INIT_CWD'] ?? '.', name);
  await withBilling(
    async (query) => {
      const { rows, posted, prices, states } = await replayExport(query, folder, publicKey);
      say(`${posted} of ${rows} rows were posted, the others were there; ${prices} price versions were added.`);
      if (states > 0) say(`${states} orders and codes were put to what was posted of them.`);
      say(
        '`reconcile` tells what else the database lacks: orders, codes, keys and users that are younger than the backup.',
      );
    },
    { writes: true },
  );
}

/** Reads a whole export whose files are those that the key has signed. Throws `export-unsigned`, `export-changed`. */
export async function replayExport(query: Query, folder: string, publicKey: string): Promise<ReplayReport> {
  await requireSigned(folder, publicKey);
  const replay = new JournalReplay(query);
  for await (const batch of batchesOf<ExportedPrices>(folder, 'prices.ndjson')) await replay.addPrices(batch);
  for await (const batch of batchesOf<ChainedRow>(folder, 'journal.ndjson')) await replay.addRows(batch);
  return replay.report;
}

async function requireSigned(folder: string, publicKey: string): Promise<void> {
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
}

async function* batchesOf<Value>(folder: string, name: string): AsyncGenerator<Value[]> {
  let batch: Value[] = [];
  for await (const line of linesOf(createReadStream(join(folder, name), 'utf8'))) {
    if (line === '') continue;
    batch.push(JSON.parse(line) as Value);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
