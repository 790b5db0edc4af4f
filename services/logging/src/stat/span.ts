import type { QuotaDataQuery } from '@tollgate/contracts/api/log';
import { hourOf } from './hour-sums.js';

/** Hours whose start lies between both, inclusive; Unix seconds. */
export interface Span {
  from: number;
  to: number;
}

const DAY = 86_400;
export const LONGEST_OWN_SPAN = 31 * DAY;
/** More hours than this of every model are no chart any more; the newest ones are answered. */
const LONGEST_SPAN = 366 * DAY;

type Bounds = Pick<QuotaDataQuery, 'start_timestamp' | 'end_timestamp'>;

/** The hours that a dashboard shows, in Unix seconds from the beginning of an hour; a span that is too long is cut at its start. */
export function spanOf({ start_timestamp: start, end_timestamp: end }: Bounds, now: number): Span {
  const to = end > 0 ? end : now;
  const from = start > 0 ? start : to - LONGEST_OWN_SPAN;
  return { from: hourOf(Math.max(from, to - LONGEST_SPAN, 0)), to };
}

/** A start that is left out beside an end is the beginning of time, as documented; without both nobody asks for too much. */
export const isTooLong = ({ start_timestamp: start, end_timestamp: end }: Bounds, now: number): boolean =>
  (start > 0 || end > 0) && (end > 0 ? end : now) - Math.max(start, 0) > LONGEST_OWN_SPAN;
