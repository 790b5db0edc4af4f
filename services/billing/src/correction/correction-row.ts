import { createHash } from 'node:crypto';

/**
 * One charge of a correction run, in units: `charged` when the run was laid down, and the `rerated` charge that
 * replaces it.
 */
export interface CorrectionRow {
  request_id: string;
  user_id: number;
  token_id: number;
  model: string;
  group: string;
  channel_id: number;
  charged: number;
  rerated: number;
}

/** Most charges of one run; they are posted together, while the wallets that they move are locked. */
export const MOST_ROWS = 50_000;

const COLUMNS = [
  'request_id',
  'user_id',
  'token_id',
  'model',
  'group',
  'channel_id',
  'charged',
  'rerated',
] as const satisfies (keyof CorrectionRow)[];

/**
 * SHA-256 over the rows in their order, one line each, members separated by U+001F; `rowsDigest` computes the same in
 * SQL.
 */
export function digestOf(rows: readonly CorrectionRow[]): string {
  const hash = createHash('sha256');
  for (const row of rows) hash.update(`${COLUMNS.map((name) => row[name]).join('\u001f')}\n`);
  return hash.digest('hex');
}

const line = COLUMNS.map((name) => `"${name}"`).join(', ');
export const rowsDigest = `select encode(sha256(convert_to(coalesce(string_agg(concat_ws(E'\\x1f', ${line}) || E'\\n', '' order by "number"), ''), 'UTF8')), 'hex') as "digest"
  from "correction_row" where "approval_id" = $1`;
