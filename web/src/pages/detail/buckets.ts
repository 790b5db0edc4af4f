import type { QuotaData } from '@tollgate/contracts/api/log';
import { zoneName } from '../../components/basics/time-format.js';

export const granularities = ['hour', 'day', 'week'] as const;
export type Granularity = (typeof granularities)[number];

interface Bucket {
  /** Unix seconds of the first moment of the bucket, which begins on a full hour or at midnight local time. */
  start: number;
  end: number;
  label: string;
}

export interface Series {
  model: string;
  /** Quota units per bucket. */
  quota: number[];
  calls: number[];
  totalQuota: number;
  totalCalls: number;
}

export interface Summary {
  buckets: Bucket[];
  /** Sorted by quota, descending. */
  series: Series[];
  quota: number;
  tokens: number;
  calls: number;
}

const two = (value: number): string => String(value).padStart(2, '0');
const seconds = (date: Date): number => Math.floor(date.getTime() / 1000);

/** Start of the local hour, day or week (from Monday) that contains the moment. */
function bucketStart(at: number, granularity: Granularity): Date {
  const date = new Date(at * 1000);
  // Not `setMinutes`, which moves the second of two hours of the same name, at the end of summer time, to the first.
  date.setTime(date.getTime() - (date.getMinutes() * 60 + date.getSeconds()) * 1000);
  if (granularity === 'hour') return date;
  date.setHours(0);
  if (granularity === 'week') date.setDate(date.getDate() - ((date.getDay() + 6) % 7));
  return date;
}

/** Counts by the calendar, because a day at a change to or from daylight saving time has 23 or 25 hours. */
function nextStart(start: Date, granularity: Granularity): Date {
  const next = new Date(start);
  if (granularity === 'hour') next.setTime(next.getTime() + 3_600_000);
  else next.setDate(next.getDate() + (granularity === 'day' ? 1 : 7));
  return next;
}

function labelOf(start: Date, end: Date, granularity: Granularity, withYear: boolean): string {
  const day = (date: Date) =>
    `${withYear ? `${date.getFullYear()}-` : ''}${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  if (granularity === 'hour') return `${day(start)} ${two(start.getHours())}:00`;
  if (granularity === 'day') return day(start);
  return `${day(start)} - ${day(new Date(end.getTime() - 1))}`;
}

/**
 * The last moment that a chart of the range has to show: the present, or a call that is newer than the present the page
 * knows, because it counts it only from time to time.
 */
export function lastMoment(rows: QuotaData[], { from, to, now }: Record<'from' | 'to' | 'now', number>): number {
  const newest = rows.reduce((latest, { created_at: at }) => Math.max(latest, at), now);
  return Math.max(from, Math.min(to, newest));
}

/** Every bucket from `from` to `to`, including those without calls, which are drawn as zero. */
export function bucketsOf(from: number, to: number, granularity: Granularity): Bucket[] {
  const withYear = new Date(from * 1000).getFullYear() !== new Date(to * 1000).getFullYear();
  const buckets: Bucket[] = [];
  let start = bucketStart(from, granularity);
  while (seconds(start) <= to && buckets.length < 2000) {
    const end = nextStart(start, granularity);
    const name = labelOf(start, end, granularity, withYear);
    // The chart tells bars apart by their labels; only the hour that the end of summer time repeats has its name twice.
    const label = name === buckets.at(-1)?.label ? `${name} ${zoneName(start)}` : name;
    buckets.push({ start: seconds(start), end: seconds(end), label });
    start = end;
  }
  return buckets;
}

/** Sums integer quota units per model and bucket; amounts are rounded only where they are formatted. */
export function summarize(rows: QuotaData[], buckets: Bucket[], granularity: Granularity): Summary {
  const index = new Map(buckets.map(({ start }, at) => [start, at]));
  const byModel = new Map<string, Series>();
  const total = { quota: 0, tokens: 0, calls: 0 };
  for (const row of rows) {
    total.quota += row.quota;
    total.tokens += row.token_used;
    total.calls += row.count;
    const at = index.get(seconds(bucketStart(row.created_at, granularity)));
    if (at === undefined) continue;
    const series = byModel.get(row.model_name) ?? emptySeries(row.model_name, buckets.length);
    byModel.set(row.model_name, series);
    series.quota[at] = (series.quota[at] ?? 0) + row.quota;
    series.calls[at] = (series.calls[at] ?? 0) + row.count;
    series.totalQuota += row.quota;
    series.totalCalls += row.count;
  }
  const series = [...byModel.values()].sort(
    (one, other) => other.totalQuota - one.totalQuota || one.model.localeCompare(other.model),
  );
  return { buckets, series, ...total };
}

const emptySeries = (model: string, length: number): Series => ({
  model,
  quota: new Array<number>(length).fill(0),
  calls: new Array<number>(length).fill(0),
  totalQuota: 0,
  totalCalls: 0,
});

const MAX_SERIES = 8;

/** At most eight series, one per colour: the largest seven and the sum of all others. */
export function topSeries(series: Series[], rest: string): Series[] {
  if (series.length <= MAX_SERIES) return series;
  const others = series.slice(MAX_SERIES - 1);
  const merged = emptySeries(rest, others[0]?.quota.length ?? 0);
  for (const other of others) {
    other.quota.forEach((value, at) => (merged.quota[at] = (merged.quota[at] ?? 0) + value));
    other.calls.forEach((value, at) => (merged.calls[at] = (merged.calls[at] ?? 0) + value));
    merged.totalQuota += other.totalQuota;
    merged.totalCalls += other.totalCalls;
  }
  return [...series.slice(0, MAX_SERIES - 1), merged];
}

/** Average per minute of the elapsed part of the range; `undefined` when none of it has elapsed. */
export function perMinute(count: number, from: number, to: number, now: number): number | undefined {
  const minutes = (Math.min(to, now) - from) / 60;
  return minutes > 0 ? count / minutes : undefined;
}
