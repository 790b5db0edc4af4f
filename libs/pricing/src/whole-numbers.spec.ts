import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { exact, plus, rounded, times } from './exact.js';
import { wholePrice, wholeUnits } from './whole-numbers.js';

const ratio = fc.oneof(
  fc.constantFrom(0, 1, 0.5, 1.25, 8.21918, 4 / 3, 1e-7, 3e9),
  fc.integer({ min: 0, max: 9_999_999 }).map((number) => number / 1e5),
);
const count = fc.oneof(
  fc.integer({ min: -5, max: 2_000_000 }),
  fc.constantFrom(2 ** 40, 2 ** 53, 1e300, 0.5, Number.NaN, -1),
);

describe('wholeUnits', () => {
  it('returns the result of exact decimals, or none', () => {
    let answered = 0;
    fc.assert(
      fc.property(fc.tuple(ratio, ratio, ratio), fc.tuple(count, count), ([a, b, multiplier], [units, more]) => {
        const price = wholePrice({ a: exact(a), b: exact(b) }, exact(multiplier));
        const quick = price && wholeUnits({ a: units, b: more }, price);
        if (quick === undefined) return;
        answered += 1;
        const term = (number: number, of: number) => times(exact(number > 0 ? number : 0), exact(of));
        expect(BigInt(quick)).toBe(rounded(times(plus(term(units, a), term(more, b)), exact(multiplier))));
      }),
      { numRuns: 2000 },
    );
    expect(answered).toBeGreaterThan(200);
  });

  it('returns a result for usual charges', () => {
    const price = wholePrice({ input: exact(1), cached: exact(0.5), output: exact(4) }, exact(1.25));
    expect(price && wholeUnits({ input: 150, cached: 3, output: 100 }, price)).toBe(689);
  });

  it('leaves to exact decimals what plain numbers cannot hold', () => {
    expect(wholePrice({ input: exact(4 / 3) }, exact(1))).toBeUndefined();
    expect(wholePrice({ input: exact(-1) }, exact(1))).toBeUndefined();
    const dear = wholePrice({ input: exact(3e9) }, exact(3e6));
    expect(dear && wholeUnits({ input: 2 }, dear)).toBeUndefined();
  });
});
