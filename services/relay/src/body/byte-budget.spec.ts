import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ByteBudget } from './byte-budget.js';

const LIMITS = { process: 100, user: 60, address: 80 };

describe('ByteBudget', () => {
  it('names the bound that has no room', () => {
    const budget = new ByteBudget(LIMITS);
    expect(budget.claim(1, 'a').take(60)).toBeUndefined();
    expect(budget.claim(1, 'b').take(1)).toBe('user');
    expect(budget.claim(2, 'a').take(21)).toBe('address');
    expect(budget.claim(2, 'a').take(20)).toBeUndefined();
    expect(budget.claim(3, 'c').take(21)).toBe('process');
    expect(budget.inFlight).toBe(80);
  });

  it('has room again for released bytes, once', () => {
    const budget = new ByteBudget(LIMITS);
    const first = budget.claim(1, 'a');
    first.take(60);
    first.give(50);
    expect(budget.claim(1, 'a').take(50)).toBeUndefined();
    first.release();
    first.release();
    first.give(7);
    expect(budget.inFlight).toBe(50);
  });

  it('counts nothing for a request that has ended, and notifies its reader', () => {
    const budget = new ByteBudget(LIMITS);
    const claim = budget.claim(1, 'a');
    let told = 0;
    claim.onRelease(() => (told += 1));
    claim.take(10);
    claim.release();
    claim.release();
    expect([claim.take(1000), budget.inFlight, told]).toEqual([undefined, 0, 1]);
    claim.onRelease(() => (told += 1));
    expect(told).toBe(2);
  });

  it('never exceeds a limit and ends empty, in any order of requests', () => {
    const step = fc.record({
      user: fc.integer({ min: 1, max: 3 }),
      address: fc.constantFrom('a', 'b'),
      bytes: fc.nat(70),
    });
    fc.assert(
      fc.property(fc.array(step), fc.array(fc.nat(70)), (steps, gifts) => {
        const budget = new ByteBudget(LIMITS);
        const claims = steps.map(({ user, address, bytes }) => {
          const claim = budget.claim(user, address);
          claim.take(bytes);
          expect(budget.inFlight).toBeLessThanOrEqual(LIMITS.process);
          return claim;
        });
        gifts.forEach((bytes, index) => claims[index]?.give(bytes));
        for (const claim of claims) claim.release();
        expect(budget.inFlight).toBe(0);
        for (const user of [1, 2, 3]) expect(new ByteBudget(LIMITS).claim(user, 'a').take(60)).toBeUndefined();
        expect(budget.claim(1, 'a').take(60)).toBeUndefined();
      }),
    );
  });
});
