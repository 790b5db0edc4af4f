import { describe, expect, it } from '@jest/globals';
import { noUsage } from '../call/outcome.js';
import type { Counted } from './counted.js';
import { withinOutputLimit } from './own-count.js';

const counted = (outputTokens: number): Counted => ({ usage: { ...noUsage, outputTokens }, usageSource: 'estimated' });
const told = (outputLimit: number | undefined, choices = 1) => ({
  granted: { bound: { choices }, ...(outputLimit !== undefined && { outputLimit }) },
});

describe('our own count of an answer', () => {
  it.each([
    ['stands where no limit was told', 1276, told(undefined), 1276],
    ['stands below the limit', 600, told(638), 600],
    ['ends at the limit, because tokenizers differ', 1276, told(638), 638],
    ['ends at the limit of all answers', 1500, told(500, 2), 1000],
  ])('%s', (_, tokens, current, expected) => {
    expect(withinOutputLimit(counted(tokens), current)).toEqual(counted(expected));
  });
});
