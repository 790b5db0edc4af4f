import { describe, expect, it } from '@jest/globals';
import { monthOf, monthsFrom } from './month.js';

describe('monthsFrom', () => {
  it('covers the end of a year without gap or overlap', () => {
    const months = monthsFrom(Date.UTC(2026, 10, 30, 23, 59, 59) / 1000, 3);
    expect(months.map(({ table }) => table)).toEqual(['log_2026_11', 'log_2026_12', 'log_2027_01']);
    expect(months[0]?.to).toBe(months[1]?.from);
    expect(months[1]?.to).toBe(Date.UTC(2027, 0, 1) / 1000);
  });
});

describe('monthOf', () => {
  it('parses the table names of months, and no other name', () => {
    for (const month of monthsFrom(Date.UTC(2028, 1, 29) / 1000, 12)) expect(monthOf(month.table)).toEqual(month);
    expect(monthOf('log_default')).toBeUndefined();
  });
});
