import { toCount } from '../rowset.js';
import type { DoubtSpan, UsageSum } from './log-store.js';

/** Maximum difference between the clock of a relay and the time of its rows, and the longest duration of a request. */
const SLACK_MS = 3_600_000;
const LONGEST_MS = 2 * 86_400_000;

/** Unix seconds between which the rows of requests that were admitted in the span lie. */
export const doubtTimes = ({ from, to }: Pick<DoubtSpan, 'from' | 'to'>): [earliest: number, latest: number] => [
  Math.floor((from - SLACK_MS) / 1000),
  Math.floor((to + LONGEST_MS) / 1000),
];

/** A sum as a store returns it, with its counts as numbers. */
export const countedSum = (row: UsageSum): UsageSum => ({
  ...row,
  ...{ requests: toCount(row.requests), input: toCount(row.input) },
  ...{ cached: toCount(row.cached), output: toCount(row.output) },
});
