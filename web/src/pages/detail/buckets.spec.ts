import { describe, expect, it } from '@jest/globals';
import type { QuotaData } from '@tollgate/contracts/api/log';
import { bucketsOf, perMinute, summarize, topSeries } from './buckets.js';

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
