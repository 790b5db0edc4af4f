import { describe, expect, it } from '@jest/globals';
import { frequencyOf, nextRunAt } from './plan.js';

describe('the schedule', () => {
  it('keeps runs the frequency apart, a tenth earlier or later', () => {
    expect(nextRunAt(1000, 10, () => 0)).toBe(1000 + 9 * 60_000);
    expect(nextRunAt(1000, 10, () => 0.5)).toBe(1000 + 10 * 60_000);
    expect(nextRunAt(1000, 10, () => 1)).toBe(1000 + 11 * 60_000);
  });

  it('obeys the setting, which may also say never, and the variable where nothing is set', () => {
    expect(frequencyOf(undefined, 30)).toBe(30);
    expect(frequencyOf(5, 30)).toBe(5);
    expect(frequencyOf(0, 30)).toBe(0);
  });
});
