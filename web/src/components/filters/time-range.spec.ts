import { describe, expect, it } from '@jest/globals';
import { formatTime } from '../basics/time-format.js';
import { spanOf, withRange } from './time-range.js';

describe('spanOf', () => {
  const now = Math.floor(new Date(2026, 10, 21, 15, 30, 5).getTime() / 1000);

  it('begins today at midnight and ends in an hour', () => {
    const { start, end } = spanOf('today', now, { start: 0, end: 0 });
    expect([formatTime(start), formatTime(end)]).toEqual(['2026-11-21 00:00:00', '2026-11-21 16:30:05']);
  });

  it('computes relative ranges from now, and keeps chosen times', () => {
    expect(spanOf('7d', now, { start: 0, end: 0 })).toEqual({ start: now - 7 * 86_400, end: now + 3600 });
    expect(spanOf('custom', now, { start: 5, end: 0 })).toEqual({ start: 5, end: 0 });
  });
});

describe('withRange', () => {
  it.each([
    ['start_timestamp=5&end_timestamp=9', 'start_timestamp=5&end_timestamp=9&range=custom'],
    ['end_timestamp=9', 'end_timestamp=9&range=custom'],
    ['range=7d&start_timestamp=5', 'range=7d&start_timestamp=5'],
    ['start_timestamp=soon&type=2', 'start_timestamp=soon&type=2'],
    ['start_timestamp=0', 'start_timestamp=0'],
    ['', ''],
  ])('reads %j as %j', (given, understood) => {
    expect(withRange(new URLSearchParams(given)).toString()).toBe(understood);
  });
});
