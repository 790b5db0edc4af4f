import { describe, expect, it } from '@jest/globals';
import { dayOf, isDay, shiftDay } from './days.js';

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
});
