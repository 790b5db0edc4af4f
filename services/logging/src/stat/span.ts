import type { QuotaDataQuery } from '@tollgate/contracts/api/log';
import { hourOf } from './hour-sums.js';

/** Hours that start between both times, inclusive; in Unix seconds. */
export interface Span {
  from: number;
  to: number;
}

const DAY = 86_400;
export const LONGEST_OWN_SPAN = 31 * DAY;
/** Longer spans are cut to their newest hours, since a chart of every model by hour would be unreadable. */
const LONGEST_SPAN = 366 * DAY;

type Bounds = Pick<QuotaDataQuery, 'start_timestamp' | 'end_timestamp'>;

/** The hours for a dashboard, from a full hour until now at most; a span that is too long is cut at its start. */
export function spanOf({ start_timestamp: start, end_timestamp: end }: Bounds, now: number): Span {
  const to = end > 0 ? Math.min(end, now) : now;
  const from = start > 0 ? start : to - LONGEST_OWN_SPAN;
  return { from: hourOf(Math.max(from, to - LONGEST_SPAN, 0)), to };
}

/**
 * A missing start together with an end means the beginning of time, as documented. If both are missing, the span is
 * never too long.
 */
export const isTooLong = ({ start_timestamp: start, end_timestamp: end }: Bounds, now: number): boolean =>
  (start > 0 || end > 0) && (end > 0 ? end : now) - Math.max(start, 0) > LONGEST_OWN_SPAN;
