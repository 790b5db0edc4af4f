import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import type { ChainedRow } from './chain-text.js';

interface HashedRow {
  row: ChainedRow;
  hash: string;
}

type Cell = string | bigint | number | null;
type Kind = 'text' | 'int' | 'long';

/** Columns in the order of the hashed text, then the hash. */
const COLUMNS: readonly [name: keyof ChainedRow | 'hash', kind: Kind][] = [
  ['chain', 'text'],
  ['position', 'long'],
  ['id', 'text'],
  ['code', 'text'],
  ['debit', 'text'],
  ['credit', 'text'],
  ['amount', 'long'],
  ['userId', 'int'],
  ['tokenId', 'int'],
  ['reference', 'text'],
  ['priceVersion', 'text'],
  ['replicaEpoch', 'text'],
  ['actorId', 'int'],
  ['reason', 'text'],
  ['bookedAt', 'text'],
  ['model', 'text'],
  ['group', 'text'],
  ['channelId', 'int'],
  ['eventPartition', 'int'],
  ['eventOffset', 'long'],
  ['hash', 'text'],
];
const TYPES = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  int: { type: 'INT32' },
  long: { type: 'INT64' },
} as const;

const GROUP = 50_000;

/** Writes the same rows for analysis, in typed columns. Rows are buffered until a row group is full. */
export function parquetFile(path: string): { add(rows: readonly HashedRow[]): void; finish(): void } {
  const writer = new ParquetWriter({
    writer: fileWriter(path),
    schema: [
      { name: 'posting', num_children: COLUMNS.length },
      ...COLUMNS.map(([name, kind]) => ({ name, ...TYPES[kind], repetition_type: 'OPTIONAL' as const })),
    ],
    createdBy: 'tollgate',
  });
  let kept: HashedRow[] = [];
  const flush = (): void => {
    if (kept.length === 0) return;
    const columnData = COLUMNS.map(([name, kind]) => ({ name, data: kept.map((item) => cellOf(item, name, kind)) }));
    void writer.write({ columnData, rowGroupSize: GROUP });
    kept = [];
  };
  return {
    add(rows) {
      kept.push(...rows);
      if (kept.length >= GROUP) flush();
    },
    finish() {
      flush();
      void writer.finish();
    },
  };
}

function cellOf({ row, hash }: HashedRow, name: keyof ChainedRow | 'hash', kind: Kind): Cell {
  const value = (name === 'hash' ? hash : row[name]) ?? null;
  return kind === 'long' && typeof value === 'number' ? BigInt(value) : value;
}
