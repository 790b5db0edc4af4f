import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { join } from 'node:path';
import { AppError, leastIdAt } from '@tollgate/chassis';
import { units } from '../units.js';
import {
  type Query,
  readChains,
  readKeys,
  readLinks,
  readSeals,
  type StoredLink,
  type StoredSeal,
  toChainedRow,
} from './chain-rows.js';
import { type ChainedRow, FIRST, rowText, type SealFacts } from './chain-text.js';
import type { SigningKey } from './signing-key.js';

/** A line of `prices.ndjson`. */
export interface ExportedPrices {
  id: string;
  document: object;
  createdAt: string;
}

/** A line of `costs.ndjson`: the cost of a row, in the order of the rows. Rows of unknown cost have no line. */
export interface ExportedCost {
  id: string;
  /** Units. */
  cost: number;
  costVersion: number | null;
  /** The model name by which the provider bills, where it is known. */
  upstreamModel?: string;
}

/** Price documents are read a few at a time, because each takes a hundred kilobytes or more. */
const PRICES_OF_A_READ = 20;

interface ExportOptions {
  query: Query;
  /** A folder that is empty or does not exist. */
  folder: string;
  /**
   * Milliseconds since the epoch. Requests belong to the time of their admission, other postings to the time of
   * posting.
   */
  from: number;
  to: number;
  key: SigningKey;
}

/** The part of a chain that an export contains, from after one sealed row to another sealed row. */
interface Segment {
  chain: string;
  first: number;
  last: number;
  previousHash: string;
  seals: StoredSeal[];
}

export interface ExportReport {
  rows: number;
  seals: number;
  /** Committed rows of the period that no seal covers yet; they are left out. */
  unsealed: number;
  units: Record<string, string>;
}

/**
 * Writes all sealed postings of a period: whole segments of chains between two seals, so slightly more than the period.
 * Each line is the text that was hashed; `verify.mjs` and `verify.py` need no other rule. Throws `folder-not-empty` and
 * `nothing-sealed`.
 */
export async function exportJournal(options: ExportOptions): Promise<ExportReport> {
  const { query, folder, from, to, key } = options;
  await requireEmpty(folder);
  const segments: Segment[] = [];
  let unsealed = 0;
  for (const chain of await readChains(query)) {
    const { segment, left } = await segmentOf(query, chain, { from, to });
    if (segment) segments.push(segment);
    unsealed += left;
  }
  if (segments.length === 0)
    throw new AppError(
      'invalid',
      'nothing-sealed',
      'No sealed row of the journal is of this period. Heads are sealed once a minute while billing runs.',
    );
  const { rows, sums } = await writeRows(query, folder, segments);
  const sealLines = segments.flatMap(({ seals }) =>
    seals.map(({ text, signature }) => JSON.stringify({ text, signature })),
  );
  await writeFile(join(folder, 'seals.ndjson'), sealLines.map((line) => `${line}\n`).join(''));
  await writePrices(query, folder);
  const manifest = {
    ...{
      format: 'tollgate-journal',
      version: 1,
      from: timeText(from),
      to: timeText(to),
      madeAt: new Date().toISOString(),
    },
    keys: await readKeys(query),
    chains: segments.map(({ seals: _, ...segment }) => segment),
    files: await sumsOf(folder, [
      ...['journal.ndjson', 'journal.parquet', 'costs.ndjson'],
      ...['seals.ndjson', 'prices.ndjson'],
    ]),
    totals: { rows, units: sums },
    unsealed,
  };
  const text = `${JSON.stringify(manifest, undefined, 2)}\n`;
  await writeFile(join(folder, 'manifest.json'), text);
  await writeFile(join(folder, 'manifest.sig'), `${key.sign(text)}\n`);
  return { rows, seals: sealLines.length, unsealed, units: sums };
}

const timeText = (time: number): string => new Date(Math.min(time, 253_402_300_799_999)).toISOString();

async function requireEmpty(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0)
    throw new AppError('invalid', 'folder-not-empty', `${folder} is not empty. Name a folder that an export may fill.`);
}

/** The segment from after the last seal before the period's first row to the first seal that covers its last row. */
async function segmentOf(
  query: Query,
  chain: string,
  { from, to }: { from: number; to: number },
): Promise<{ segment?: Segment; left: number }> {
  const bounds = [from, to].map(leastIdAt);
  const [range] = await query<{ least: unknown; most: unknown; rows: unknown }>(
    `select min("position") as "least", max("position") as "most" from "journal_link"
     where "chain" = $1 and "posting_id" >= $2::uuid and "posting_id" < $3::uuid`,
    [chain, ...bounds],
  );
  if (!range || range.least === null) return { left: 0 };
  const seals = await readSeals(query, chain);
  const before = seals.findLast(({ position }) => position < units(range.least));
  const end = seals.find(({ position }) => position >= units(range.most)) ?? seals.at(-1);
  const left = Math.max(0, units(range.most) - (end?.position ?? 0));
  if (!end || end === before) return { left };
  return {
    left,
    segment: {
      ...{ chain, first: (before?.position ?? 0) + 1, last: end.position },
      previousHash: before ? (JSON.parse(before.text) as SealFacts).hash : FIRST,
      seals: seals.filter(({ number }) => number >= (before?.number ?? 1) && number <= end.number),
    },
  };
}

async function writeRows(
  query: Query,
  folder: string,
  segments: readonly Segment[],
): Promise<{ rows: number; sums: Record<string, string> }> {
  const [file, costs] = ['journal.ndjson', 'costs.ndjson'].map((name) => openNew(folder, name)) as [
    WriteStream,
    WriteStream,
  ];
  // Only exports need it.
  const { parquetFile } = await import('./journal-parquet.js');
  const parquet = parquetFile(join(folder, 'journal.parquet'));
  const sums = new Map<string, bigint>();
  let rows = 0;
  for (const { chain, first, last } of segments) {
    for await (const links of readLinks(query, { chain, from: first, to: last })) {
      const batch = links.map((link) => rowOf(link, chain));
      await write(file, batch.map(({ row, hash }) => `${rowText(row).slice(0, -1)},"hash":"${hash}"}\n`).join(''));
      await write(costs, links.map(costLine).join(''));
      parquet.add(batch);
      for (const { row } of batch) sums.set(row.code, (sums.get(row.code) ?? 0n) + BigInt(row.amount));
      rows += batch.length;
    }
  }
  await closed(file);
  await closed(costs);
  parquet.finish();
  return { rows, sums: Object.fromEntries([...sums].sort().map(([code, sum]) => [code, String(sum)])) };
}

/** Writes all price versions, so that charges can be verified, and the journal restored, from the export alone. */
async function writePrices(query: Query, folder: string): Promise<void> {
  const file = openNew(folder, 'prices.ndjson');
  for (let last = ''; ;) {
    const rows = await query<ExportedPrices>(
      `select "id", "document", "created_at" as "createdAt" from "price_version" where "id" > $1 order by "id" limit ${PRICES_OF_A_READ}`,
      [last],
    );
    const end = rows.at(-1);
    if (!end) break;
    last = end.id;
    for (const { id, document, createdAt } of rows)
      await write(file, `${JSON.stringify({ id, document, createdAt })}\n`);
  }
  await closed(file);
}

function costLine({ id, cost, cost_version: costVersion, upstream_model: sent }: StoredLink): string {
  if (cost === null) return '';
  return `${JSON.stringify({ id, cost: units(cost), costVersion, ...(sent && { upstreamModel: sent }) } satisfies ExportedCost)}\n`;
}

function rowOf(link: StoredLink, chain: string): { row: ChainedRow; hash: string } {
  if ((link.id as string | null) === null)
    throw new AppError(
      'conflict',
      'posting-missing',
      `Posting ${link.posting_id} was sealed and is gone. \`npm run tollgate -- journal verify\` tells all that is wrong.`,
    );
  return { row: toChainedRow(link, { chain, position: units(link.position), version: link.version }), hash: link.hash };
}

const openNew = (folder: string, name: string): WriteStream => createWriteStream(join(folder, name), { flags: 'wx' });

async function closed(file: WriteStream): Promise<void> {
  file.end();
  await once(file, 'close');
}

async function write(file: WriteStream, text: string): Promise<void> {
  if (!file.write(text)) await once(file, 'drain');
}

async function sumsOf(
  folder: string,
  names: readonly string[],
): Promise<Record<string, { sha256: string; bytes: number }>> {
  const sums: Record<string, { sha256: string; bytes: number }> = {};
  for (const name of names) {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const part of createReadStream(join(folder, name)) as AsyncIterable<Buffer>) {
      hash.update(part);
      bytes += part.length;
    }
    sums[name] = { sha256: hash.digest('hex'), bytes };
  }
  return sums;
}
