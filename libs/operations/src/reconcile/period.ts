import { AppError } from '@tollgate/chassis';

/** Requests by the time of their admission, which is the time in their ids. */
export interface Period {
  /** Milliseconds since the epoch; from is inside, to is outside. */
  from: number;
  to: number;
}

/** Twelve hex digits of milliseconds. */
const LAST_TIME = 2 ** 48 - 1;

/** The least time-ordered id of that millisecond. */
export function leastId(time: number): string {
  const hex = Math.trunc(Math.min(Math.max(0, time), LAST_TIME))
    .toString(16)
    .padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** A date, or a date with time, in UTC unless it says otherwise. Throws `period-invalid`. */
export function readTime(text: string): number {
  const full = /^\d{4}-\d{2}$/.test(text) ? `${text}-01` : text;
  const time = Date.parse(/[T ]\d/.test(full) && !/(Z|[+-]\d\d:?\d\d)$/.test(full) ? `${full}Z` : full);
  if (Number.isNaN(time) || !/^\d{4}-\d{2}-\d{2}/.test(full))
    throw new AppError('invalid', 'period-invalid', `"${text}" is no date like 2026-11-01 or 2026-11-01T12:00:00Z.`);
  return time;
}

/** The words of a check's query that stand for the period. */
export function bindPeriod(query: string, { from, to }: Period): string {
  const values: Record<string, string> = {
    fromId: `'${leastId(from)}'::uuid`,
    toId: `'${leastId(to)}'::uuid`,
    from: String(Math.floor(from / 1000)),
    to: String(Math.floor(to / 1000)),
  };
  return query.replace(/(?<!:):(fromId|toId|from|to)\b/g, (_, name: string) => values[name] ?? '');
}
