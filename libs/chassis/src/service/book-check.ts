import { leastIdAt } from './id-time.js';

/**
 * A query whose every row is something that does not add up: `subject` names it, `expected` is what the evidence says, `found` what the
 * table holds. `:from` and `:to` stand for Unix seconds, `:fromId` and `:toId` for the least time-ordered ids of both.
 */
export interface BookCheck {
  /** What must hold, in words. */
  name: string;
  /** The table or store that is at fault where the check finds something. */
  store: string;
  query: string;
  /** For what a query cannot work out: its rows are then evidence with a `subject`, few enough to read all, and this says what does not add up in one. */
  judge?: (row: Record<string, unknown>) => BookFinding | undefined;
}

export interface BookFinding {
  expected: string;
  found: string;
}

/** A check's findings from its rows of evidence: those rows in which something does not add up. */
export const judged = <Row extends { subject: string }>(
  rows: readonly Row[],
  judge: NonNullable<BookCheck['judge']>,
): (BookFinding & { subject: string })[] =>
  rows.flatMap((row) => {
    const finding = judge(row as unknown as Record<string, unknown>);
    return finding ? [{ subject: row.subject, ...finding }] : [];
  });

/** Requests by the time of their admission, which is the time in their ids. Milliseconds since the epoch; `to` is outside. */
export interface Period {
  from: number;
  to: number;
}

/** A query with the words that stand for the period replaced, as `BookCheck` describes them. */
export function bindPeriod(query: string, { from, to }: Period): string {
  const values: Record<string, string> = {
    fromId: `'${leastIdAt(from)}'::uuid`,
    toId: `'${leastIdAt(to)}'::uuid`,
    from: String(Math.floor(from / 1000)),
    to: String(Math.floor(to / 1000)),
  };
  return query.replace(/(?<!:):(fromId|toId|from|to)\b/g, (_, name: string) => values[name] ?? '');
}

/**
 * Count, sum and digest of requests: two services that have the same ids with the same units get the same. The digest is the sum of 60 bits of
 * each row's hash, so that it needs no order. Its two parameters are the least id and the first one that is outside.
 */
export const requestDigest = (id: string, units: string, rows: string): string =>
  `select count(*)::text as "requests", coalesce(sum(${units}), 0)::text as "units",
     coalesce(sum(('x' || left(md5(${id}::text || ' ' || ${units}), 15))::bit(60)::bigint), 0)::text as "digest"
   from ${rows} and ${id} >= ?::uuid and ${id} < ?::uuid`;

/**
 * The condition by which rows of the usage log are left out that tell of a test of a channel: nobody pays for those, so no posting and no balance knows
 * them. Only a test has this member, and a row of a token is never one, so that `other` is read for few rows.
 */
export const NO_CHANNEL_TEST = `("token_id" <> 0 or "other"->'channel_test' is null)`;

/** SHA-256 over the lines of one invoice, a line each, in hex. */
export const INVOICE_LINES_DIGEST = `encode(sha256(convert_to(coalesce(string_agg(concat_ws(E'\\x1f', "day", "model", "requests", "input", "cached", "output",
  coalesce("amount"::text, 'none')) || E'\\n', '' order by "day", "model" collate "C"), ''), 'UTF8')), 'hex')`;

/** What rows of the usage log must equal; seconds, both inclusive. */
export interface LogAbout {
  eventId?: string;
  channelId?: number;
  userId?: number;
  modelName?: string;
  types?: readonly number[];
  from?: number;
  to?: number;
}
