import { leastIdAt } from './id-time.js';

/**
 * A query that returns one row per inconsistency: `subject` names it, `expected` is the value by the evidence, `found` the value in the
 * table. `:from` and `:to` stand for Unix seconds, `:fromId` and `:toId` for the smallest time-ordered ids of those times.
 */
export interface BookCheck {
  /** What must hold, as a sentence. */
  name: string;
  /** The table or store to blame for findings. */
  store: string;
  query: string;
  /**
   * For checks that SQL cannot express: the query then returns evidence rows with a `subject`, few enough to read all, and this returns the
   * finding for a row, if any.
   */
  judge?: (row: Record<string, unknown>) => BookFinding | undefined;
}

export interface BookFinding {
  expected: string;
  found: string;
}

/** Applies `judge` to a check's evidence rows and keeps the findings. */
export const judged = <Row extends { subject: string }>(
  rows: readonly Row[],
  judge: NonNullable<BookCheck['judge']>,
): (BookFinding & { subject: string })[] =>
  rows.flatMap((row) => {
    const finding = judge(row as unknown as Record<string, unknown>);
    return finding ? [{ subject: row.subject, ...finding }] : [];
  });

/** Selects requests by admission time, which their ids contain. Milliseconds since the epoch; `to` is exclusive. */
export interface Period {
  from: number;
  to: number;
}

/** Replaces the period's placeholders in a query, as `BookCheck` describes them. */
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
 * SQL for count, sum and digest of requests: two services that hold the same ids with the same units get equal results. The digest is a sum
 * of 60 bits of each row's hash, so it does not depend on order. The two parameters are the smallest id and the first id after the range.
 */
export const requestDigest = (id: string, units: string, rows: string): string =>
  `select count(*)::text as "requests", coalesce(sum(${units}), 0)::text as "units",
     coalesce(sum(('x' || left(md5(${id}::text || ' ' || ${units}), 15))::bit(60)::bigint), 0)::text as "digest"
   from ${rows} and ${id} >= ?::uuid and ${id} < ?::uuid`;

/**
 * Condition that excludes tests of a channel from rows of the usage log: they are not charged, so no posting or balance contains them. Only
 * tests have this member, and rows with a token are never tests, so `other` is read for few rows.
 */
export const NO_CHANNEL_TEST = `("token_id" <> 0 or "other"->'channel_test' is null)`;

/** SQL for the hex SHA-256 over the lines of one invoice. */
export const INVOICE_LINES_DIGEST = `encode(sha256(convert_to(coalesce(string_agg(concat_ws(E'\\x1f', "day", "model", "requests", "input", "cached", "output",
  coalesce("amount"::text, 'none')) || E'\\n', '' order by "day", "model" collate "C"), ''), 'UTF8')), 'hex')`;

/** Filter for rows of the usage log; times in seconds, both inclusive. */
export interface LogAbout {
  eventId?: string;
  channelId?: number;
  userId?: number;
  modelName?: string;
  types?: readonly number[];
  from?: number;
  to?: number;
}
