import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { AppliedPrice } from '@tollgate/contracts';
import fc from 'fast-check';
// eslint-disable-next-line @nx/enforce-module-boundaries -- the clock of the world's budgets
import { turningTimers } from '../../../relay/test/turning-clock.js';
import { type Plan, World, type WorldOptions } from './overdraft-world.js';

/** Requests of one kind have these values in common; some turn out more expensive than the others. */
const kind = fc.record({
  text: fc.constantFrom(10, 40, 400),
  pictures: fc.constantFrom(0, 0, 0, 1),
  limit: fc.constantFrom(0, 0, 10, 200),
  choices: fc.constantFrom(1, 1, 1, 3),
  answer: fc.constantFrom(1, 10, 150),
  density: fc.constantFrom(5, 25),
});
/** Only a few kinds, so that the cost of a call is often known already. */
const plans: fc.Arbitrary<Plan[]> = fc.array(kind, { minLength: 1, maxLength: 2 }).chain((kinds) => {
  const one = fc.record({
    kind: fc.constantFrom(...kinds),
    replica: fc.nat({ max: 2 }),
    longer: fc.constantFrom(1, 1, 1, 1, 1, 3, 1000),
    isDense: fc.constantFrom(false, false, false, false, true),
    takes: fc.nat({ max: 4 }),
  });
  return fc.array(
    one.map(({ kind: shared, longer, isDense, ...own }) => ({
      ...shared,
      ...own,
      answer: shared.answer * longer,
      density: isDense ? 100 : shared.density,
    })),
    { minLength: 10, maxLength: 40 },
  );
});
const ratio = fc.constantFrom(0.5, 1, 1.25, 2.5, 15);
const price: fc.Arbitrary<AppliedPrice> = fc
  .record({ modelRatio: ratio, completionRatio: fc.constantFrom(1, 4, 5.833333), cacheCreationRatio: ratio })
  .map((ratios) => ({
    ...ratios,
    groupRatio: 1,
    cacheRatio: 0.1,
    modelPrice: -1,
    quotaPerUnit: 500_000,
    imageRatio: 2,
  }));

/** Wallets worth a few to a few hundred calls at that price. */
const options: fc.Arbitrary<Omit<WorldOptions, 'overdraft'>> = fc
  .record({
    calls: fc.oneof(fc.nat({ max: 700 }), fc.nat({ max: 4000 })),
    replicas: fc.integer({ min: 1, max: 3 }),
    price,
  })
  .map(({ calls, ...rest }) => ({ ...rest, credit: Math.round(calls * rest.price.modelRatio) }));

async function after(world: World, asked: readonly Plan[]): Promise<World> {
  try {
    await world.run(asked);
    return world;
  } finally {
    await world.close();
  }
}

beforeAll(turningTimers);
afterAll(() => void jest.useRealTimers());

describe('the overdraft of a wallet', () => {
  it('is at most the prompt of one call per replica', async () => {
    let lastCalls = 0;
    await fc.assert(
      fc.asyncProperty(options, plans, async (given, asked) => {
        const { billing, dearestPrompt } = await after(new World({ ...given, overdraft: 'bounded' }), asked);
        if (dearestPrompt > 0) lastCalls += 1;
        expect(-billing.balance).toBeLessThanOrEqual(given.replicas * dearestPrompt);
      }),
      { numRuns: 120 },
    );
    // Otherwise the property would not be tested.
    expect(lastCalls).toBeGreaterThan(2);
  }, 120_000);

  it('is zero in strict mode, whatever the upstream adds before the prompt', async () => {
    let served = 0;
    // Wallets that can pay a few calls; poorer ones admit none.
    const calls = fc.nat({ max: 6 });
    const preambles = fc.array(fc.constantFrom(0, 0, 30, 4096), { minLength: 40, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(options, plans, calls, preambles, async (given, asked, richness, before) => {
        const { modelRatio, cacheCreationRatio } = given.price;
        const credit = given.credit + Math.ceil(richness * 4096 * modelRatio * Math.max(1, cacheCreationRatio));
        const padded = asked.map((plan, index) => ({ ...plan, preamble: before[index] ?? 0 }));
        const world = await after(new World({ ...given, credit, overdraft: 'never' }), padded);
        served += world.served;
        expect(world.billing.balance).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 120 },
    );
    // Otherwise the property would not be tested.
    expect(served).toBeGreaterThan(100);
  }, 120_000);

  it.each([1, 2])(
    'is zero when calls cost the same, and the wallet is used fully on %i replicas',
    async (replicas) => {
      const applied = {
        modelRatio: 1.25,
        completionRatio: 4,
        groupRatio: 1,
        cacheRatio: 1,
        cacheCreationRatio: 1.25,
        modelPrice: -1,
        quotaPerUnit: 500_000,
      };
      const same: Plan = { replica: 0, text: 30, pictures: 0, limit: 0, choices: 1, answer: 10, density: 20, takes: 3 };
      const calls = Array.from({ length: 200 }, (_, index) => ({ ...same, replica: index }));
      const probe = await after(new World({ credit: 1_000_000, replicas: 1, price: applied, overdraft: 'bounded' }), [
        same,
      ]);
      const cost = 1_000_000 - probe.billing.balance;
      const world = await after(
        new World({ credit: 50 * cost, replicas, price: applied, overdraft: 'bounded' }),
        calls,
      );
      expect([world.served, world.billing.balance]).toEqual([50, 0]);
    },
    60_000,
  );
});
