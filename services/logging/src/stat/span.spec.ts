import { describe, expect, it } from '@jest/globals';
import { isTooLong, LONGEST_OWN_SPAN, spanOf } from './span.js';

const now = 1_800_000_123;

describe('spanOf', () => {
  it('defaults to the last 31 days', () => {
    const { from, to } = spanOf({ start_timestamp: 0, end_timestamp: 0 }, now);
    expect(to).toBe(now);
    expect(from % 3600).toBe(0);
    expect(to - from - LONGEST_OWN_SPAN).toBeLessThan(3600);
  });

  it('begins at the full hour of its start', () => {
    expect(spanOf({ start_timestamp: 7_300, end_timestamp: 9_000 }, now)).toEqual({ from: 7_200, to: 9_000 });
  });

  it('ends now when a later end is asked', () => {
    const soon = { start_timestamp: 0, end_timestamp: 9_999_999_999 };
    expect(spanOf(soon, now)).toEqual(spanOf({ start_timestamp: 0, end_timestamp: 0 }, now));
  });

  it('is cut to its newest year', () => {
    const { from, to } = spanOf({ start_timestamp: 1, end_timestamp: now }, now);
    expect(to).toBe(now);
    expect(Math.round((to - from) / 86_400)).toBe(366);
  });
});

describe('isTooLong', () => {
  it('allows 31 days to the second', () => {
    expect(isTooLong({ start_timestamp: now - LONGEST_OWN_SPAN, end_timestamp: now }, now)).toBe(false);
    expect(isTooLong({ start_timestamp: now - LONGEST_OWN_SPAN - 1, end_timestamp: now }, now)).toBe(true);
    expect(isTooLong({ start_timestamp: 1, end_timestamp: 0 }, now)).toBe(true);
    expect(isTooLong({ start_timestamp: 0, end_timestamp: 0 }, now)).toBe(false);
    expect(isTooLong({ start_timestamp: 0, end_timestamp: now }, now)).toBe(true);
    expect(isTooLong({ start_timestamp: -5, end_timestamp: -1 }, now)).toBe(false);
    expect(isTooLong({ start_timestamp: now, end_timestamp: 5 }, now)).toBe(false);
  });
});
