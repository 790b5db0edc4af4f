import { describe, expect, it } from '@jest/globals';
import { frequencyOf, nextRunAt } from './plan.js';

describe('the schedule', () => {
  it('plans the next run after the frequency, give or take a tenth', () => {
    expect(nextRunAt(1000, 10, () => 0)).toBe(1000 + 9 * 60_000);
    expect(nextRunAt(1000, 10, () => 0.5)).toBe(1000 + 10 * 60_000);
    expect(nextRunAt(1000, 10, () => 1)).toBe(1000 + 11 * 60_000);
  });

  it('takes the frequency from the option, 0 for never, or else from the environment variable', () => {
    expect(frequencyOf(undefined, 30)).toBe(30);
    expect(frequencyOf(5, 30)).toBe(5);
    expect(frequencyOf(0, 30)).toBe(0);
  });
});
