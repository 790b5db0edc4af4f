import { Readable } from 'node:stream';
import { type StatementRow, type StatementSums, statementSumsSchema } from '@tollgate/contracts/api/statement';
import { CSV_MARK, type CsvCell, csvLines } from '@tollgate/contracts/csv';
import { quotaToUsd } from '@tollgate/pricing';

type SumName = keyof StatementSums;

const SUMS = Object.keys(statementSumsSchema.shape) as SumName[];
const COUNTS: ReadonlySet<SumName> = new Set(['postings', 'requests', 'late', 'costed']);
const COSTS: ReadonlySet<SumName> = new Set(['cost', 'costed', 'costed_sales', 'margin']);
const OWN_SUMS = SUMS.filter((name) => !COSTS.has(name));
/** Text for an unknown cost, as distinct from a cost of 0. */
const UNKNOWN = 'unknown' as const;

/** A CSV stream that is written while the rows are read. Units are followed by the same amount in US dollars. */
export function statementCsv(
  pieces: AsyncIterable<StatementRow[]>,
  { own, quotaPerUnit }: { own: boolean; quotaPerUnit: number },
): Readable {
  const names = own ? OWN_SUMS : SUMS;
  const head = names.flatMap((name) => (COUNTS.has(name) ? [name] : [name, `${name}_usd`]));
  const cellsOf = (row: StatementRow): CsvCell[] => [
    row.period,
    row.key,
    ...names.flatMap((name) => {
      const sum = row[name] ?? UNKNOWN;
      if (COUNTS.has(name)) return [sum];
      return [sum, sum === UNKNOWN ? UNKNOWN : quotaToUsd(sum, quotaPerUnit, 6)];
    }),
  ];
  async function* text(): AsyncGenerator<string> {
    yield CSV_MARK + csvLines([['period', 'key', ...head]]);
    for await (const rows of pieces) yield csvLines(rows.map(cellsOf));
  }
  return Readable.from(text(), { objectMode: false });
}
