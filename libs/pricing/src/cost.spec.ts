import { describe, expect, it } from '@jest/globals';
import type { AppliedPrice, Usage } from '@tollgate/contracts';
import fc from 'fast-check';
import { costOf } from './cost.js';
import { rate } from './price.js';

const usage: Usage = {
  semantics: 'openai',
  inputTokens: 1000,
  cacheReadTokens: 200,
  cacheWriteTokens: 0,
  outputTokens: 300,
};
const list: AppliedPrice = {
  modelRatio: 1.25,
  completionRatio: 4,
  groupRatio: 3,
  cacheRatio: 0.5,
  cacheCreationRatio: 1.25,
  modelPrice: -1,
  quotaPerUnit: 500_000,
};
const basis = { list, quotaPerUnit: 500_000 };

describe('the cost of a request', () => {
  it('is a share of the list price, whatever the group pays', () => {
    // (1000 + 200 · 0.5 + 300 · 4) · 1.25 · 0.7 = 2012.5
    expect(costOf(usage, { ...basis, terms: { ratio: 0.7 } })).toBe(2013);
    expect(costOf(usage, { ...basis, list: undefined, terms: { ratio: 0.7 } })).toBeUndefined();
  });

  it('follows prices of tokens in dollars, exactly, where no ratio of two prices is a finite decimal', () => {
    // 1000 · 3 + 200 · 0.3 + 300 · 10 dollars a million, half a million units a dollar
    const terms = { input: 3, output: 10, cache_read: 0.3 };
    expect(costOf(usage, { ...basis, terms })).toBe(3030);
    expect(costOf(usage, { ...basis, list: undefined, terms: { input: 3, output: 10 } })).toBe(3300);
    expect(costOf(usage, { ...basis, terms: { input: 0, output: 0 } })).toBe(0);
    const little = { ...usage, inputTokens: 1, cacheReadTokens: 0, outputTokens: 0 };
    expect(costOf(little, { ...basis, terms: { input: 0.1, output: 1 } })).toBe(1);
  });

  it('is a price per call, and unknown for pictures that only have prices of tokens', () => {
    expect(costOf(usage, { ...basis, terms: { call: 0.04 } })).toBe(20_000);
    const pictures = { ...usage, pictures: { count: 2, size: '1024x1024', quality: 'standard' } };
    expect(costOf(pictures, { ...basis, terms: { call: 0.04 } })).toBe(40_000);
    expect(costOf(pictures, { ...basis, terms: { input: 3, output: 10 } })).toBeUndefined();
    const searched = { ...usage, searches: { web: 1 } };
    expect(costOf(searched, { ...basis, list: undefined, terms: { input: 3, output: 10 } })).toBeUndefined();
    const withSearches = { ...list, webSearch: { low: 10, medium: 10, high: 10 }, fileSearch: 0 };
    expect(costOf(searched, { ...basis, list: withSearches, terms: { input: 3, output: 10 } })).toBe(3300 + 5000);
    const google = { ...usage, searches: { google: 1 } };
    expect(costOf(google, { ...basis, list: { ...list, googleSearch: 14 }, terms: { call: 0.04 } })).toBe(27_000);
  });

  it('equals the charge if the share is the ratio of the group', () => {
    const count = fc.nat({ max: 10_000_000 });
    const ratio = fc.integer({ min: 0, max: 5000 }).map((thousandths) => thousandths / 1000);
    fc.assert(
      fc.property(count, count, count, ratio, (inputTokens, cacheReadTokens, outputTokens, groupRatio) => {
        const any = { ...usage, inputTokens, cacheReadTokens, outputTokens };
        expect(costOf(any, { ...basis, terms: { ratio: groupRatio } })).toBe(rate(any, { ...list, groupRatio }));
      }),
    );
  });

  it('adds up from its kinds, rounded once', () => {
    const count = fc.nat({ max: 10_000_000 });
    const cents = fc.integer({ min: 1, max: 10_000 });
    fc.assert(
      fc.property(count, count, cents, cents, (inputTokens, outputTokens, input, output) => {
        const any = { ...usage, inputTokens, cacheReadTokens: 0, outputTokens };
        const terms = { input: input / 100, output: output / 100 };
        // In units of 10^-2 USD per million tokens at 500 000 units a dollar: 200 of them are a unit.
        const exactly = BigInt(inputTokens) * BigInt(input) + BigInt(outputTokens) * BigInt(output);
        const wanted = exactly === 0n ? 0 : Math.max(1, Number((2n * exactly + 200n) / 400n));
        expect(costOf(any, { ...basis, terms })).toBe(wanted);
      }),
    );
  });
});
