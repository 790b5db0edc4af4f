import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { price, usage } from '../test/factories.js';
import { rate } from './price.js';
import { decimalOf, ratingOf } from './rating-lines.js';

describe('ratingOf', () => {
  it('shows each kind with its ratio, exactly, and the charge rounded once', () => {
    const used = usage({ inputTokens: 800, cacheReadTokens: 200, outputTokens: 500 });
    expect(ratingOf(used, price({ modelRatio: 0.075, completionRatio: 4, cacheRatio: 0.5 }))).toEqual({
      lines: [
        { kind: 'input', count: 800, ratio: 1, units: '60' },
        { kind: 'cacheRead', count: 200, ratio: 0.5, units: '7.5' },
        { kind: 'output', count: 500, ratio: 4, units: '150' },
      ],
      exactly: '217.5',
      quota: 218,
    });
  });

  it('shows a price per call and searches', () => {
    const searched = usage({ inputTokens: 10, searches: { web: 2 } });
    const rated = ratingOf(searched, price({ modelPrice: 0.01, webSearch: { low: 5, medium: 10, high: 20 } }));
    expect(rated).toMatchObject({
      lines: [
        { kind: 'call', count: 1, units: '5000' },
        { kind: 'searches', count: 2, units: '10000' },
      ],
      quota: 15_000,
    });
    const google = ratingOf(usage({ searches: { google: 2 } }), price({ modelPrice: 0, googleSearch: 14 }));
    expect(google.lines).toEqual([
      expect.objectContaining({ kind: 'call' }),
      { kind: 'searches', count: 2, ratio: 1, units: '14000' },
    ]);
  });

  it('adds up to the charge, whatever was used', () => {
    const tokens = fc.nat({ max: 1_000_000 });
    const ratio = fc.integer({ min: 0, max: 40_000 }).map((number) => number / 1000);
    const used = fc.record({
      inputTokens: tokens,
      cacheReadTokens: tokens,
      cacheWriteTokens: tokens,
      outputTokens: tokens,
    });
    const terms = fc.record({ modelRatio: ratio, completionRatio: ratio, groupRatio: ratio, cacheRatio: ratio });
    fc.assert(
      fc.property(used, terms, (counts, ratios) => {
        const { exactly, quota } = ratingOf(usage(counts), price(ratios));
        expect(quota).toBe(rate(usage(counts), price(ratios)));
        // The charge is one unit at least, else within half a unit of the exact sum.
        expect(quota === 1 || Math.abs(Number(exactly) - quota) <= 0.5000001).toBe(true);
      }),
    );
  });
});

describe('decimalOf', () => {
  it('writes exact decimals', () => {
    const texts = [
      decimalOf({ digits: 12345n, scale: 3 }),
      decimalOf({ digits: 5n, scale: 3 }),
      decimalOf({ digits: -1500n, scale: 3 }),
      decimalOf({ digits: 7n, scale: 0 }),
    ];
    expect(texts).toEqual(['12.345', '0.005', '-1.5', '7']);
  });
});
