import { Readable } from 'node:stream';
import type { PostingReply } from '@tollgate/contracts/api/journal';
import { CSV_MARK, csvLines } from '@tollgate/contracts/csv';
import { quotaToUsd } from '@tollgate/pricing';
import { csvTime } from './csv-time.js';

/** `perUnit`: units per US dollar. */
type Column = readonly [string, (row: PostingReply, perUnit: number) => string | number];

const common = [
  ['id', ({ id }) => id],
  ['time', ({ time }) => csvTime(time)],
  ['booked_at', (row) => csvTime(row.booked_at)],
  ['code', ({ code }) => code],
  ['debit', ({ debit }) => debit],
  ['credit', ({ credit }) => credit],
  ['amount', ({ amount }) => amount],
  ['amount_usd', ({ amount }, perUnit) => quotaToUsd(amount, perUnit, 6)],
  ['change', ({ change }) => change],
  ['change_usd', ({ change }, perUnit) => quotaToUsd(change, perUnit, 6)],
  ['user_id', (row) => row.user_id],
  ['token_id', (row) => row.token_id],
  ['reference', ({ reference }) => reference],
  ['price_version', (row) => row.price_version],
  ['model', ({ model }) => model],
  ['group', ({ group }) => group],
  ['reason', ({ reason }) => reason],
] as const satisfies Column[];
const internal = [
  ['channel_id', (row) => row.channel_id ?? 0],
  ['actor_id', (row) => row.actor_id ?? 0],
] as const satisfies Column[];

/** A CSV stream that is written while the rows are read, so its length is not limited. */
export function journalCsv(
  pieces: AsyncIterable<PostingReply[]>,
  { own, quotaPerUnit }: { own: boolean; quotaPerUnit: number },
): Readable {
  const columns: readonly Column[] = own ? common : [...common, ...internal];
  async function* text(): AsyncGenerator<string> {
    yield CSV_MARK + csvLines([columns.map(([name]) => name)]);
    for await (const rows of pieces)
      yield csvLines(rows.map((row) => columns.map(([, read]) => read(row, quotaPerUnit))));
  }
  return Readable.from(text(), { objectMode: false });
}
