import { describe, expect, it } from '@jest/globals';
import type { RoutedChannel } from '@tollgate/contracts';
import fc from 'fast-check';
import { chooseChannel } from './choose-channel.js';

const channel = (id: number, priority: number, weight: number): RoutedChannel =>
  ({ id, priority, weight }) as RoutedChannel;

describe('chooseChannel', () => {
  it('draws within a tier by weight + 10', () => {
    const tier = [channel(1, 0, 0), channel(2, 0, 30)]; // 10 of 50, 40 of 50
    expect(chooseChannel(tier, new Set(), () => 0.199)?.id).toBe(1);
    expect(chooseChannel(tier, new Set(), () => 0.2)?.id).toBe(2);
    expect(chooseChannel(tier, new Set(), () => 0.999)?.id).toBe(2);
  });

  it('draws among the untried channels by their weights', () => {
    const tier = [channel(1, 0, 0), channel(2, 0, 30), channel(3, 0, 10), channel(4, 0, 0)]; // 10, 40, 20, 10
    const draws = (tried: number[]): (number | undefined)[] =>
      Array.from({ length: 40 }, (_, step) => chooseChannel(tier, new Set(tried), () => (step + 0.5) / 40)?.id);
    const counts = (ids: (number | undefined)[]): number[] =>
      [1, 2, 3, 4].map((id) => ids.filter((one) => one === id).length);
    expect(counts(draws([]))).toEqual([5, 20, 10, 5]);
    expect(counts(draws([2]))).toEqual([10, 0, 20, 10]);
    expect(counts(draws([1, 4, 9]))).toEqual([0, 27, 13, 0]);
  });

  it('tries all channels of a tier before the next one', () => {
    const all = [channel(1, 10, 0), channel(2, 10, 0), channel(3, 5, 0)];
    const tried = new Set<number>();
    const order: (number | undefined)[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      const next = chooseChannel(all, tried, () => 0);
      order.push(next?.id);
      if (next) tried.add(next.id);
    }
    expect(order).toEqual([1, 2, 3, undefined]);
  });

  it('never chooses a tried channel, nor one below an untried higher tier', () => {
    const channels = fc.uniqueArray(
      fc.record({ id: fc.nat(50), priority: fc.integer({ min: -3, max: 3 }), weight: fc.nat(40) }),
      { selector: ({ id }) => id },
    );
    fc.assert(
      fc.property(
        channels,
        fc.array(fc.nat(50)),
        fc.double({ min: 0, max: 0.9999, noNaN: true }),
        (rows, ids, draw) => {
          const tried = new Set(ids);
          const chosen = chooseChannel(rows as RoutedChannel[], tried, () => draw);
          const open = rows.filter(({ id }) => !tried.has(id));
          if (!chosen) return open.length === 0;
          return !tried.has(chosen.id) && open.every(({ priority }) => priority <= chosen.priority);
        },
      ),
    );
  });
});
