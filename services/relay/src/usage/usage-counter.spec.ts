import { describe, expect, it } from '@jest/globals';
import { withinToldLimit } from './usage-counter.js';

const told = (outputLimit: number | undefined, choices = 1) => ({
  granted: { bound: { choices }, ...(outputLimit !== undefined && { outputLimit }) },
});

describe('our own count of an answer', () => {
  it.each([
    ['stands where no limit was told', 1276, told(undefined), 1276],
    ['stands below the limit', 600, told(638), 600],
    ['ends at the limit, because tokenizers differ', 1276, told(638), 638],
    ['ends at the limit of all answers', 1500, told(500, 2), 1000],
    ['is believed again when nobody can have kept to the limit', 1277, told(638), 1277],
  ])('%s', (_, counted, current, expected) => {
    expect(withinToldLimit(counted, current)).toBe(expected);
  });
});
