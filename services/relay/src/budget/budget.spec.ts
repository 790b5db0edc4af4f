import { describe, expect, it } from '@jest/globals';
import { Clock, Metrics } from '@tollgate/chassis';
import { Billing } from '../../test/billing-double.js';
import { budgetOver, elapse, elapsed, recallableBudget, request, shape, useTurningTime } from '../../test/budgets.js';
import type { Budget } from './budget.js';
import { HoldRefused } from './hold.js';

/** A clock that stands still until it is set. */
class HeldClock extends Clock {
  at = 0;
  override monotonic(): number {
    return this.at;
  }
}

/** Runs concurrent calls whose hold is larger than their final cost. */
async function storm(
  budget: Budget,
  calls: number,
  { hold, cost, tokenId = 0 }: { hold: number; cost: number; tokenId?: number },
): Promise<number> {
  const served = await Promise.all(
    Array.from({ length: calls }, async () => {
      try {
        const placed = await budget.hold(request(hold, tokenId));
        await elapse(5);
        placed.settle(cost);
        return 1;
      } catch (error) {
        if (error instanceof HoldRefused) return 0;
        throw error;
      }
    }),
  );
  return served.reduce((sum: number, one) => sum + one, 0);
}

describe('Budget', () => {
  useTurningTime();

  it('admits exactly what a wallet is worth by actual cost, although holds are larger', async () => {
    expect(await storm(budgetOver(new Billing({ 'wallet:1': 50 * 40 })), 200, { hold: 100, cost: 40 })).toBe(50);
  });

  it('admits exactly what a token budget is worth on a rich wallet', async () => {
    const billing = new Billing({ 'wallet:1': 1_000_000, 'token:7': 30 * 40 });
    expect(await storm(budgetOver(billing), 100, { hold: 90, cost: 40, tokenId: 7 })).toBe(30);
  });

  it('ignores the cost of a call at another price', async () => {
    const budget = budgetOver(new Billing({ 'wallet:1': 150 }));
    (await budget.hold(request(100))).settle(40);
    const dearer = { ...shape, price: 'v2/default' };
    await expect(budget.hold({ ...request(1_000_000), shape: dearer })).rejects.toBeInstanceOf(HoldRefused);
  });

  it('calls billing once for what many requests need', async () => {
    const billing = new Billing({ 'wallet:1': 10_000 });
    const budget = budgetOver(billing);
    (await budget.hold(request(500))).settle(10);
    const calls = billing.calls;
    for (let index = 0; index < 20; index += 1) (await budget.hold(request(200))).settle(10);
    expect(billing.calls).toBe(calls);
  });

  it('refuses a first call that does not fit, with the balances for the message', async () => {
    await expect(budgetOver(new Billing({ 'wallet:1': 99 })).hold(request(100))).rejects.toMatchObject({
      reason: 'wallet',
      walletQuota: 99,
    });
  });

  it('reports what is left beside running calls', async () => {
    const billing = new Billing({ 'wallet:1': 1000, 'token:7': 500 });
    const budget = budgetOver(billing);
    const running = await budget.hold(request(450, 7));
    await expect(budget.hold(request(100, 7))).rejects.toMatchObject({
      ...{ reason: 'token', tokenQuota: 500, walletQuota: 1000, left: { token: 50, wallet: 550 } },
    });
    running.settle(0);
  });

  it('never begins a session with less than its least, whatever earlier sessions cost', async () => {
    const budget = budgetOver(new Billing({ 'wallet:1': 1000, 'token:7': 120 }));
    const session = { ...request(100, 7), isEndless: true };
    (await budget.hold(session)).settle(30);
    await expect(budget.hold(session)).rejects.toMatchObject({ reason: 'token', left: { token: 90 } });
  });

  it('names the token when its budget is what is missing', async () => {
    const billing = new Billing({ 'wallet:1': 1000, 'token:7': 5 });
    await expect(budgetOver(billing).hold(request(100, 7))).rejects.toMatchObject({ reason: 'token', tokenQuota: 5 });
  });

  it('gives up after two seconds when another replica keeps what is left', async () => {
    const billing = new Billing({ 'wallet:1': 1000 }, { 'wallet:1': 950 });
    await expect(budgetOver(billing).hold(request(100))).rejects.toBeInstanceOf(HoldRefused);
    expect(elapsed()).toBeGreaterThan(1900);
    expect(elapsed()).toBeLessThan(2500);
  });

  it('serves what is left when the replica that keeps the rest does not answer', async () => {
    const elsewhere: Record<string, number> = {};
    const budget = budgetOver(new Billing({ 'wallet:1': 200 }, elsewhere));
    (await budget.hold(request(100))).settle(40);
    elsewhere['wallet:1'] = 110;
    // 200 − 40 − 110 = 50 are left: less than the bound of 100, and enough for the 40 such a call costs.
    const hold = await budget.hold(request(100));
    expect(hold.amount).toBe(50);
    hold.settle(40);
    await expect(budget.hold(request(100))).rejects.toBeInstanceOf(HoldRefused);
  });

  it('waits as long as another replica makes progress', async () => {
    const elsewhere: Record<string, number> = { 'wallet:1': 100 };
    const billing = new Billing({ 'wallet:1': 100 }, elsewhere);
    const clock = new HeldClock();
    const hold = budgetOver(billing, { clock }).hold(request(50));
    // This takes more than eight seconds by the clock, but never two seconds without a visible change.
    for (const left of [90, 80, 70, 60, 55, 52, 50]) {
      const seen = billing.calls;
      while (billing.calls === seen) await elapse(1);
      clock.at += 1_200;
      elsewhere['wallet:1'] = left;
    }
    expect((await hold).amount).toBe(50);
  });

  it('does not count the time in which its process stood still as waiting', async () => {
    const elsewhere: Record<string, number> = { 'wallet:1': 100 };
    const billing = new Billing({ 'wallet:1': 100 }, elsewhere);
    const clock = new HeldClock();
    const hold = budgetOver(billing, { clock }).hold(request(50));
    for (let look = 0; look < 3; look += 1) {
      const seen = billing.calls;
      while (billing.calls === seen) await elapse(1);
      clock.at += 3_000;
    }
    elsewhere['wallet:1'] = 50;
    expect((await hold).amount).toBe(50);
  });

  it('settles a hold once', async () => {
    const budget = budgetOver(new Billing({ 'wallet:1': 300 }));
    const hold = await budget.hold(request(100));
    hold.settle(100);
    hold.settle(0);
    (await budget.hold(request(200))).settle(200);
    await expect(budget.hold(request(1))).rejects.toBeInstanceOf(HoldRefused);
  });

  it('lets the last call of a token in while other tokens of the user keep the wallet busy', async () => {
    const billing = new Billing({ 'wallet:1': 1_000_000, 'token:7': 150 });
    const budget = budgetOver(billing);
    (await budget.hold(request(100, 7))).settle(40);
    (await budget.hold(request(100, 7))).settle(40);
    const other = await budget.hold(request(100));
    const last = await budget.hold(request(100, 7));
    expect([last.amount, last.known]).toEqual([70, { cost: 40, outputTokens: 0 }]);
    other.settle(40);
  });

  it('knows the cost of a call whose prompt is a digit longer', async () => {
    const budget = budgetOver(new Billing({ 'wallet:1': 150 }));
    (await budget.hold(request(100))).settle(60);
    const longer = { ...request(100), shape: { ...shape, promptBytes: 101 } };
    expect((await budget.hold(longer)).amount).toBe(90);
  });

  it('counts what a recall returns while a call to billing is in progress', async () => {
    let recall: (account: string) => void = () => undefined;
    const billing = new (class extends Billing {
      override async call(...asked: Parameters<Billing['call']>): Promise<never> {
        const answer = await super.call(...asked);
        if (asked[0].name === 'acquire-leases') recall('wallet:1');
        return answer;
      }
    })({ 'wallet:1': 150 });
    const heard = await recallableBudget(billing);
    const { budget } = heard;
    (await budget.hold(request(100))).settle(60);
    recall = heard.recall;
    // 40 units are idle here and 50 at billing: enough for the 60 that such a call costs, wherever the 40 are at the
    // moment.
    expect((await budget.hold(request(100))).amount).toBe(90);
  });

  it('reports how far running last calls can overdraw a wallet: by their prompts', async () => {
    const metrics = new Metrics('relay');
    const bound = async (): Promise<number | undefined> =>
      (await metrics.registry.getSingleMetric('tollgate_relay_overdraft_bound_units')?.get())?.values[0]?.value;
    const budget = budgetOver(new Billing({ 'wallet:1': 150 }), { metrics });
    const asked = { ...request(100), costOf: (tokens: number) => 30 + tokens };
    const first = await budget.hold(asked);
    expect(await bound()).toBe(0);
    first.settle(60);
    const last = await budget.hold(asked);
    expect([last.amount, await bound()]).toEqual([90, 30]);
    last.settle(60);
    last.settle(60);
    expect(await bound()).toBe(0);
  });

  it('refuses the last call in strict mode', async () => {
    const budget = budgetOver(new Billing({ 'wallet:1': 150 }), { overdraft: 'never' });
    (await budget.hold(request(100))).settle(60);
    await expect(budget.hold(request(100))).rejects.toBeInstanceOf(HoldRefused);
  });
});

describe('a hold that grows', () => {
  useTurningTime();

  it('takes from the local block at once, then from billing, and stays as it was when nothing is left', async () => {
    const billing = new Billing({ 'wallet:1': 300, 'token:7': 250 });
    const budget = budgetOver(billing);
    (await budget.hold(request(100, 7))).settle(0);
    const hold = await budget.hold(request(50, 7));
    expect([hold.grow(100), hold.amount]).toEqual([true, 100]);
    expect(await hold.grow(200)).toBe(true);
    expect(await hold.grow(251)).toBe(false);
    expect([hold.amount, hold.shortage]).toEqual([200, { account: 'token', left: 50, need: 51 }]);
    expect(await hold.grow(1000)).toBe(false);
    hold.settle(200);
    expect(await hold.grow(210)).toBe(false);
    expect((await budget.hold(request(50, 7))).amount).toBe(50);
  });

  it('takes no quota that was idle under an epoch that billing has expired', async () => {
    const billing = new Billing({ 'wallet:1': 300, 'wallet:2': 10 });
    const budget = budgetOver(billing);
    (await budget.hold(request(100))).settle(0);
    const hold = await budget.hold(request(50));
    billing.expire();
    (await budget.hold({ ...request(10), userId: 2 })).settle(0);
    expect(await hold.grow(60)).toBe(false);
    expect(hold.amount).toBe(50);
  });
});
