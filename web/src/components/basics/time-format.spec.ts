import { describe, expect, it } from '@jest/globals';
import { formatRelative, formatTime, monthBefore, parseTime, zoneName } from './time-format.js';

describe('times', () => {
  it('reads back what it prints', () => {
    const at = 1_795_230_185;
    expect(parseTime(formatTime(at))).toBe(at);
  });

  it('reads a day, minutes and seconds, and refuses days that do not exist', () => {
    expect(parseTime('2026-11-21')).toBe(parseTime('2026-11-21 00:00:00'));
    expect(parseTime('2026-11-21T08:30')).toBe(parseTime('2026-11-21 08:30:00'));
    expect(parseTime('2026-02-30 00:00:00')).toBeUndefined();
    expect(parseTime('2026-11-21 25:00:00')).toBeUndefined();
    expect(parseTime('yesterday')).toBeUndefined();
  });

  it('goes back a month to the same time of day, or to the last day of a shorter month', () => {
    const monthBeforeOf = (text: string): string => formatTime(monthBefore(parseTime(text) ?? 0));
    expect(monthBeforeOf('2026-11-28 10:20:30')).toBe('2026-10-28 10:20:30');
    expect(monthBeforeOf('2026-03-31 10:20:30')).toBe('2026-02-28 10:20:30');
    expect(monthBeforeOf('2026-01-15')).toBe('2025-12-15 00:00:00');
  });

  it('names relative times in the language of the reader', () => {
    expect(formatRelative(1000 - 180, 1000, 'en')).toBe('3 minutes ago');
    expect(formatRelative(1000 - 86_400, 1000, 'en')).toBe('yesterday');
    expect(formatRelative(1000 + 7300, 1000, 'en')).toBe('in 2 hours');
  });

  it('states the time zone', () => {
    expect(zoneName({ getTimezoneOffset: () => -480 } as Date)).toBe('UTC+8');
    expect(zoneName({ getTimezoneOffset: () => 210 } as Date)).toBe('UTC\u22123:30');
  });
});
