import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { exact, plus, rounded, times } from './exact.js';
import { KindPrices } from './kind-prices.js';

const ratio = fc.oneof(
  fc.constantFrom(0, 1, 0.5, 1.25, 4 / 3, 1e-7, 3e9),
  fc.integer({ min: 0, max: 9_999_999 }).map((number) => number / 1e5),
);
const kinds = ['a', 'b', 'c', 'd'] as const;
const byKind = <T>(value: fc.Arbitrary<T>) => fc.record({ a: value, b: value, c: value, d: value });
const count = fc.oneof(fc.integer({ min: -3, max: 2_000_000 }), fc.constantFrom(2 ** 40, 2 ** 53));

describe('KindPrices', () => {
  it('charges every kind, by plain numbers and by exact decimals', () => {
    fc.assert(
      fc.property(byKind(ratio), byKind(count), ratio, (ratios, counts, multiplier) => {
        const exactly = { a: exact(ratios.a), b: exact(ratios.b), c: exact(ratios.c), d: exact(ratios.d) };
        const terms = kinds.map((kind) => times(exact(Math.max(0, counts[kind])), exactly[kind]));
        const expected = rounded(times(terms.reduce(plus), exact(multiplier)));
        const units = new KindPrices(exactly, exact(multiplier)).unitsOf(counts);
        if (expected > BigInt(Number.MAX_SAFE_INTEGER)) expect(units).toBe(Infinity);
        else expect(BigInt(units)).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it('leaves no kind out', () => {
    const prices = new KindPrices({ plain: exact(1), odd: exact(4 / 3), half: exact(0.5) }, exact(3));
    expect(prices.unitsOf({ plain: 1, odd: 0, half: 0 })).toBe(3);
    expect(prices.unitsOf({ plain: 0, odd: 1, half: 0 })).toBe(4);
    expect(prices.unitsOf({ plain: 0, odd: 0, half: 2 })).toBe(3);
  });
});
