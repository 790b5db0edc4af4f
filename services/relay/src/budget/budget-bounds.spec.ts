import { describe, expect, it } from '@jest/globals';
import { Billing } from '../../test/billing-double.js';
import { budgetOver, elapse, shape, useTurningTime } from '../../test/budgets.js';
import type { Budget } from './budget.js';
import { type Hold, HoldRefused, type HoldRequest } from './hold.js';

useTurningTime();

describe('holds for an upstream that puts words of its own before the prompt', () => {
  const asked = (userId = 1, tokenId = 0): HoldRequest => ({
    ...{ userId, tokenId, least: 20, most: 20, shape: { ...shape, userId } },
    ...{ costOf: (tokens: number) => 10 + tokens, fewestTokens: 1, mostOverhead: () => 4096 },
  });

  /**
   * Runs calls that hold ten tokens of prompt and ten of answer, and cost 150 in the end; returns how many were
   * admitted.
   */
  async function admitted(budget: Budget, calls: number, userId = 1, tokenId = 0): Promise<number> {
    const served = await Promise.all(
      Array.from({ length: calls }, async () => {
        try {
          const placed = await budget.hold(asked(userId, tokenId));
          await elapse(5);
          placed.settle(150, 10);
          return 1;
        } catch (error) {
          if (error instanceof HoldRefused) return 0;
          throw error;
        }
      }),
    );
    return served.reduce((sum: number, one) => sum + one, 0);
  }

  it('admit exactly what a wallet is worth, even before any call has ended', async () => {
    const billing = new Billing({ 'wallet:1': 5 * 150, 'wallet:2': 7 * 150 });
    const budget = budgetOver(billing);
    expect(await admitted(budget, 20)).toBe(5);
    expect(await admitted(budget, 20, 2)).toBe(7);
  });

  it('admit exactly what a budget of a token is worth on a rich wallet', async () => {
    expect(await admitted(budgetOver(new Billing({ 'wallet:1': 1_000_000, 'token:7': 4 * 150 })), 20, 1, 7)).toBe(4);
  });

  it('hold for the first call the most that an upstream can add, where the account has it, and then what it did', async () => {
    const budget = budgetOver(new Billing({ 'wallet:1': 1_000_000 }));
    const first = await budget.hold(asked());
    expect([first.amount, first.overhead]).toEqual([4116, 4096]);
    first.settle(150, 10);
    const next = await budget.hold(asked());
    expect([next.amount, next.overhead]).toEqual([150, 130]);
    next.settle(20, 10);
    expect(budget.leastOf(asked())).toBe(150);
  });

  it('hold the most that an upstream can add for each call in strict mode, and refuse one without it', async () => {
    const budget = budgetOver(new Billing({ 'wallet:1': 2 * 4116 }), { overdraft: 'never' });
    const first = await budget.hold(asked());
    expect([first.amount, first.overhead]).toEqual([4116, 4096]);
    first.settle(150, 10);
    // The upstream may add more to the next call.
    const next = await budget.hold(asked());
    expect([next.amount, next.overhead]).toEqual([4116, 4096]);
    next.settle(4116, 10);
    expect(budget.leastOf(asked())).toBe(4116);
    // 8 232 − 150 − 4 116 = 3 966 are left.
    await expect(budget.hold(asked())).rejects.toBeInstanceOf(HoldRefused);
  });

  it('hold what cannot be measured in strict mode only', async () => {
    const film = { ...asked(), worstOverhead: () => 50_000 };
    for (const [overdraft, amount] of [
      ['never', 50_020],
      ['bounded', 4116],
    ] as const) {
      const budget = budgetOver(new Billing({ 'wallet:1': 100_000 }), { overdraft });
      expect((await budget.hold(film)).amount).toBe(amount);
      expect(budget.leastOf(film)).toBe(overdraft === 'never' ? 50_020 : 20);
    }
  });

  it('wait for a first call only until it has ended, whatever its result', async () => {
    const budget = budgetOver(new Billing({ 'wallet:1': 60 }));
    const first = await budget.hold(asked());
    expect(first.amount).toBe(20);
    const second = budget.hold(asked());
    await elapse(10);
    first.settle(0);
    expect((await second).amount).toBe(20);
  });
});

/** Ten units of prompt, and one unit per token of an answer of up to 1 000 tokens. */
const open = (tokenId = 0): HoldRequest => ({
  ...{ userId: 1, tokenId, least: 60, most: 1010, shape },
  ...{ costOf: (tokens: number) => 10 + tokens, fewestTokens: 1 },
});

describe('holds without a limit of the client', () => {
  it('take the whole bound where the wallet has it', async () => {
    expect((await budgetOver(new Billing({ 'wallet:1': 100_000 })).hold(open())).amount).toBe(1010);
  });

  it('take what is left when there are no other requests, and nothing below the least', async () => {
    expect((await budgetOver(new Billing({ 'wallet:1': 300 })).hold(open())).amount).toBe(300);
    await expect(budgetOver(new Billing({ 'wallet:1': 59 })).hold(open())).rejects.toMatchObject({
      reason: 'wallet',
      walletQuota: 59,
    });
  });

  it('begin with less where they are alone, also in strict mode, so that calls in turn use up a wallet', async () => {
    const alone = { ...open(), leastAlone: 20 };
    for (const overdraft of ['bounded', 'never'] as const) {
      const budget = budgetOver(new Billing({ 'wallet:1': 59 }), { overdraft });
      const hold = await budget.hold(alone);
      expect([hold.amount, hold.known]).toEqual([59, undefined]);
      hold.settle(15, 5);
      // Of the 44 that are left, half is for another such call.
      expect((await budget.hold(alone)).amount).toBe(22);
      const poor = budgetOver(new Billing({ 'wallet:1': 19 }), { overdraft });
      await expect(poor.hold(alone)).rejects.toMatchObject({ reason: 'wallet', walletQuota: 19 });
      expect(poor.leastOf(alone)).toBe(20);
    }
  });

  it('wait for a call that is alone, and follow it', async () => {
    const alone = { ...open(), leastAlone: 20 };
    const budget = budgetOver(new Billing({ 'wallet:1': 59 }));
    const first = await budget.hold(alone);
    const second = budget.hold(alone);
    await elapse(5);
    first.settle(15, 5);
    expect((await second).amount).toBeLessThanOrEqual(44);
  });

  it('take a fair part beside others, and the least at least', async () => {
    const budget = budgetOver(new Billing({ 'wallet:1': 400 }));
    const holds = await Promise.all(Array.from({ length: 4 }, () => budget.hold(open())));
    const amounts = holds.map(({ amount }) => amount);
    expect(Math.min(...amounts)).toBeGreaterThanOrEqual(60);
    expect(amounts.reduce((sum, amount) => sum + amount)).toBeLessThanOrEqual(400);
  });

  it('take a small part of what is known to be enough, so that a wallet worth 50 calls serves 50', async () => {
    const budget = budgetOver(new Billing({ 'wallet:1': 50 * 40 }));
    const run = async (hold: Hold): Promise<number> => {
      expect(hold.known !== undefined || hold.amount >= 60).toBe(true);
      await elapse(5);
      hold.settle(40, 30);
      return 1;
    };
    const served = await Promise.all(
      Array.from({ length: 200 }, () =>
        budget.hold(open()).then(run, (error: unknown) => {
          if (error instanceof HoldRefused) return 0;
          throw error;
        }),
      ),
    );
    expect(served.reduce((sum, one) => sum + one, 0)).toBe(50);
  });
});
