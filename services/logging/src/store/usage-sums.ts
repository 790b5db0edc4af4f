import { toCount } from '../rowset.js';
import type { DoubtSpan, UsageSum } from './log-store.js';

/** The first day with complete sums in a time zone. */
export const FIRST_DAY = `(select "first_day" from "channel_usage_start" where "zone" = $1)`;

/** The usage of days with complete sums, which are in PostgreSQL for every store. */
export const SUMMED_USAGE = `select "channel_id" as "channelId", to_char("day", 'YYYY-MM-DD') as "day", "model", "sent", "source", sum("requests") as "requests",
    sum("input") as "input", sum("cached") as "cached", sum("output") as "output"
  from "channel_usage" where "channel_id" = any($4::int[]) and "zone" = $1 and "day" between $2::date and $3::date and "day" >= ${FIRST_DAY}
  group by 1, 2, 3, 4, 5`;

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
