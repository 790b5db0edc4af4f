import { describe, expect, it } from '@jest/globals';
import { bucketOf, FIRST_TOKEN_BOUNDS, noFirstTokens, quantileOf } from './first-token-buckets.js';

const bucketsOf = (times: readonly number[]): number[] => {
  const buckets = noFirstTokens();
  for (const ms of times) buckets[bucketOf(ms)]! += 1;
  return buckets;
};

describe('quantileOf', () => {
  it('is undefined without streams', () => {
    expect(quantileOf(noFirstTokens(), 0.95)).toBeUndefined();
  });

  it('lies in the bucket of the true quantile', () => {
    const times = Array.from({ length: 1000 }, (_, index) => index + 1); // the true one is 950
    const p95 = quantileOf(bucketsOf(times), 0.95);
    expect(p95).toBeGreaterThan(800);
    expect(p95).toBeLessThanOrEqual(1_000);
  });

  it('is not changed by a few slow streams', () => {
    expect(
      quantileOf(bucketsOf([...new Array<number>(96).fill(40), ...new Array<number>(4).fill(60_000)]), 0.95),
    ).toBeLessThanOrEqual(50);
  });

  it('is at least the last bound when most streams are slower', () => {
    expect(quantileOf(bucketsOf([500_000, 600_000]), 0.95)).toBe(FIRST_TOKEN_BOUNDS.at(-1));
  });

  it('counts a value equal to a bound in the bucket below', () => {
    expect(bucketOf(50)).toBe(0);
    expect(bucketOf(51)).toBe(1);
    expect(bucketOf(120_001)).toBe(FIRST_TOKEN_BOUNDS.length);
  });
});
