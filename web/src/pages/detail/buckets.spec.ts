import { runInThisContext } from 'node:vm';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { QuotaData } from '@tollgate/contracts/api/log';
import { bucketsOf, lastMoment, perMinute, summarize, topSeries } from './buckets.js';

const at = (...parts: [number, number, number, number?]) => Math.floor(new Date(...parts).getTime() / 1000);
const row = (created_at: number, model_name: string, quota: number, count = 1): QuotaData => ({
  id: 0,
  user_id: 0,
  username: '',
  model_name,
  created_at,
  token_used: 10,
  count,
  quota,
});

describe('bucketsOf', () => {
  it('has every hour, day and week of the range, weeks from Monday', () => {
    expect(bucketsOf(at(2026, 10, 20, 22), at(2026, 10, 21, 1), 'hour').map(({ label }) => label)).toEqual([
      '11-20 22:00',
      '11-20 23:00',
      '11-21 00:00',
      '11-21 01:00',
    ]);
    expect(bucketsOf(at(2026, 10, 20, 5), at(2026, 10, 22), 'day').map(({ label }) => label)).toEqual([
      '11-20',
      '11-21',
      '11-22',
    ]);
    // 21 November 2026 is a Saturday.
    expect(bucketsOf(at(2026, 10, 21), at(2026, 10, 24), 'week').map(({ label }) => label)).toEqual([
      '11-16 - 11-22',
      '11-23 - 11-29',
    ]);
  });

  it('names the year where a range crosses one, and keeps the order of time', () => {
    expect(bucketsOf(at(2026, 11, 31), at(2027, 0, 1), 'day').map(({ label }) => label)).toEqual([
      '2026-12-31',
      '2027-01-01',
    ]);
  });
});

describe('lastMoment', () => {
  it('is the present, or that of a newer call, within the range', () => {
    const range = { from: 1000, to: 9000, now: 5000 };
    expect(lastMoment([row(4000, 'a', 1)], range)).toBe(5000);
    expect(lastMoment([row(7200, 'a', 1), row(4000, 'a', 1)], range)).toBe(7200);
    expect(lastMoment([row(9999, 'a', 1)], range)).toBe(9000);
    expect(lastMoment([], { ...range, now: 0 })).toBe(1000);
  });
});

describe('the hour that the end of summer time repeats', () => {
  // The environment that tests see is a copy, which does not set the zone of dates.
  const zone = (name: string | undefined) =>
    void runInThisContext(name === undefined ? 'delete process.env.TZ' : `process.env.TZ = '${name}'`);
  const before = runInThisContext('process.env.TZ') as string | undefined;
  afterEach(() => zone(before));

  it('is two buckets with labels of their own', () => {
    zone('America/New_York');
    const first = Date.UTC(2026, 10, 1, 5) / 1000; // 01:00 UTC−4; an hour later it is 01:00 UTC−5.
    const buckets = bucketsOf(first, first + 7200, 'hour');
    expect(buckets.map(({ label }) => label)).toEqual(['11-01 01:00', '11-01 01:00 UTC\u22125', '11-01 02:00']);
    const { series } = summarize([row(first, 'a', 1), row(first + 3600, 'a', 2)], buckets, 'hour');
    expect(series[0]?.quota).toEqual([1, 2, 0]);
  });
});

describe('summarize', () => {
  const buckets = bucketsOf(at(2026, 10, 20), at(2026, 10, 21, 23), 'day');

  it('sums rows of a model and bucket, and everything for the tiles', () => {
    const rows = [
      row(at(2026, 10, 20, 3), 'a', 5),
      row(at(2026, 10, 20, 9), 'a', 7, 2),
      row(at(2026, 10, 21, 1), 'b', 100),
    ];
    const summary = summarize(rows, buckets, 'day');
    expect(summary).toMatchObject({ quota: 112, tokens: 30, calls: 4 });
    expect(summary.series.map(({ model, quota, calls }) => [model, quota, calls])).toEqual([
      ['b', [0, 100], [0, 1]],
      ['a', [12, 0], [3, 0]],
    ]);
  });

  it('is empty, not broken, without rows', () => {
    expect(summarize([], buckets, 'day')).toMatchObject({ series: [], quota: 0, calls: 0 });
  });

  it('merges models beyond eight colours without losing a quota unit', () => {
    const rows = Array.from({ length: 11 }, (_, index) => row(at(2026, 10, 20, 1), `m${index}`, index + 1));
    const { series, quota } = summarize(rows, buckets, 'day');
    const top = topSeries(series, 'rest');
    expect(top).toHaveLength(8);
    expect(top.at(-1)?.totalQuota).toBe(1 + 2 + 3 + 4);
    expect(top.reduce((sum, { totalQuota }) => sum + totalQuota, 0)).toBe(quota);
  });
});

describe('perMinute', () => {
  it('counts elapsed minutes only, and is undefined when none has elapsed', () => {
    expect(perMinute(120, 0, 7200, 3600)).toBe(2);
    expect(perMinute(120, 3600, 7200, 3600)).toBeUndefined();
  });
});
