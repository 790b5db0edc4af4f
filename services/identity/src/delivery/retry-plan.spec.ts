import { describe, expect, it } from '@jest/globals';
import { pauseAfter } from './retry-plan.js';

describe('pauseAfter', () => {
  it('grows with each failure, up to six hours', () => {
    expect([1, 2, 3, 4].map(pauseAfter)).toEqual([5_000, 20_000, 80_000, 320_000]);
    expect(pauseAfter(50)).toBe(6 * 60 * 60_000);
  });
});
