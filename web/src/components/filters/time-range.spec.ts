import { describe, expect, it } from '@jest/globals';
import { formatTime } from '../basics/time-format.js';
import { spanOf } from './time-range.js';

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
