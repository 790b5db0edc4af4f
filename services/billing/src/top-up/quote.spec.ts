import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isSameMoney, isTooCheap, leastAmount, quoteOf, topUpRatio } from './quote.js';

const terms = { displayInCurrency: true, quotaPerUnit: 500_000, price: 7.3, ratio: 1 };

describe('quoteOf', () => {
  it('multiplies USD by price and ratio, exactly', () => {
    expect(quoteOf(1, terms)).toEqual({ quota: 500_000, money: '7.30' });
    // 3 × 7.3 × 0.85 = 18.615, for which binary floating point gives 18.614999…
    expect(quoteOf(3, { ...terms, ratio: 0.85 })).toEqual({ quota: 1_500_000, money: '18.62' });
  });

  it('keeps the requested units where the currency is not shown', () => {
    expect(quoteOf(750_000, { ...terms, displayInCurrency: false })).toEqual({ quota: 750_000, money: '10.95' }); // 1.5 USD
  });

  it('gives no quote beyond the limit of one order', () => {
    expect(quoteOf(20_000_000, terms)?.quota).toBe(10_000_000_000_000);
    expect(quoteOf(20_000_001, terms)).toBeUndefined();
    expect(quoteOf(Number.MAX_SAFE_INTEGER, terms)).toBeUndefined();
    expect(quoteOf(0, terms)).toBeUndefined();
    expect(quoteOf(-3, terms)).toBeUndefined();
  });

  it('costs twice as much for twice the amount, except for one rounding each', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), fc.integer({ min: 1, max: 10_000_000 }), (amount, micros) => {
        const price = { ...terms, price: micros / 1_000_000 };
        const cents = (times: number) => Math.round(Number(quoteOf(amount * times, price)?.money) * 100);
        expect(Math.abs(cents(2) - 2 * cents(1))).toBeLessThanOrEqual(1);
      }),
    );
  });
});

it('returns the least amount in the unit of amounts', () => {
  expect(leastAmount(2, terms)).toBe(2);
  expect(leastAmount(2, { ...terms, displayInCurrency: false })).toBe(1_000_000);
});

it('uses the plain price for a ratio of 0 and for an unknown group', () => {
  expect(['vip', 'free', 'none', 'toString'].map((group) => topUpRatio({ vip: 0.8, free: 0 }, group))).toEqual([
    0.8, 1, 1, 1,
  ]);
});

it('compares money by value and nothing else', () => {
  expect(isSameMoney('7.30', '7.3')).toBe(true);
  expect(isSameMoney('7.30', '7.300001')).toBe(false);
  for (const odd of ['', '7,30', '7.30 ', '-7.30', 'NaN', '0x7', '7e0', '1'.repeat(16)])
    expect(isSameMoney(odd, odd)).toBe(false);
});

it('is too cheap up to one cent', () => {
  expect(['0.00', '0.01', '0.02'].map(isTooCheap)).toEqual([true, true, false]);
});
