import { describe, expect, it } from '@jest/globals';
import { dayOf, everyPeriod, isDay, shiftDay } from './days.js';

describe('days of statements', () => {
  it('are days of UTC', () => {
    expect(dayOf(Date.UTC(2026, 10, 22, 23, 59))).toBe('2026-11-22');
    expect(shiftDay('2026-03-01', -1)).toBe('2026-02-28');
  });

  it('are days that exist', () => {
    expect(['2026-02-28', '2026-02-30', '2026-2-1', '', '2026-13-01'].map(isDay)).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  it.each([
    ['day', ['2026-03-01', '2026-02-27'], ['2026-02-27', '2026-02-28', '2026-03-01']],
    ['week', ['2026-11-23', '2026-11-09'], ['2026-11-09', '2026-11-16', '2026-11-23']],
    ['month', ['2027-01-01', '2026-11-01'], ['2026-11-01', '2026-12-01', '2027-01-01']],
    ['span', ['2026-11-03'], ['2026-11-03']],
    ['day', [], []],
  ] as const)('are shown without gaps by %s', (kind, booked, shown) => {
    expect(everyPeriod(booked, kind)).toEqual(shown);
  });

  it('are only those with bookings where all would be too many', () => {
    expect(everyPeriod(['2020-01-01', '2026-11-01'], 'day')).toEqual(['2020-01-01', '2026-11-01']);
  });
});
