import { describe, expect, it } from '@jest/globals';
import { Clock, Lifecycle, Metrics } from '@tollgate/chassis';
import { Billing } from '../../test/billing-double.js';
import {
  budgetOver,
  elapse,
  elapsed,
  lifecycles,
  recallableBudget,
  request,
  shape,
  useTurningTime,
} from '../../test/budgets.js';
import type { Budget } from './budget.js';
import { type Hold, HoldRefused } from './hold.js';

/** A clock that stands still until it is set. */
class HeldClock extends Clock {
  at = 0;
  override monotonic(): number {
    return this.at;
  }
}

/** A clock that follows the turning time, and can be put forward as if the relay had been cut off meanwhile. */
class LeapingClock extends Clock {
  away = 0;
  override monotonic(): number {
    return elapsed() + this.away;
  }
}

/** Keeps the replies to requests for quota back, while it is told to, until `release` is called. */
class SlowBilling extends Billing {
  isSlow = false;
  private readonly held = Promise.withResolvers<void>();
  readonly release = this.held.resolve;

  override async call(...asked: Parameters<Billing['call']>): Promise<never> {
    const answer = super.call(...asked);
    if (this.isSlow && asked[0].name === 'acquire-leases') await this.held.promise;
    return answer;
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

  it('requests the next block before this one is used up, where there is plenty, without delaying requests', async () => {
    const billing = new Billing({ 'wallet:1': 1_000_000_000 });
    const budget = budgetOver(billing);
    (await budget.hold(request(100))).settle(100);
    const answered = billing.calls;
    // After 128 requests, half of the 25 600 units are left.
    for (let index = 0; index < 126; index += 1) budget.holdAtOnce(request(100))?.settle(100);
    await elapse(10);
    expect(billing.calls).toBe(answered);
    for (let index = 0; index < 3; index += 1) budget.holdAtOnce(request(100))?.settle(100);
    await elapse(10);
    expect(billing.calls).toBe(answered + 1);
    const { granted } = billing.lease('wallet:1');
    for (let index = 0; index < 200; index += 1) {
      const hold = budget.holdAtOnce(request(100));
      expect(hold).toBeDefined();
      hold?.settle(100);
    }
    expect(granted).toBeGreaterThanOrEqual(2 * 25_600);
  });

  it('requests ahead for a token also after only its wallet was requested', async () => {
    const billing = new Billing({ 'wallet:1': 1_000_000_000, 'token:7': 1_000_000_000 });
    const budget = budgetOver(billing);
    (await budget.hold(request(100, 7))).settle(100);
    const spend = async (times: number, tokenId: number): Promise<void> => {
      for (let index = 0; index < times; index += 1) budget.holdAtOnce(request(100, tokenId))?.settle(100);
      await elapse(10);
    };
    const answered = billing.calls;
    // Other requests of the user spend from the wallet; the one that leaves less than half of it uses this token.
    await spend(126, 0);
    await spend(3, 7);
    expect(billing.calls).toBe(answered + 1);
    await spend(126, 7);
    expect(billing.calls).toBe(answered + 2);
  });

  it('returns a block that was requested ahead, also when the reply arrives during a stop', async () => {
    const answer = Promise.withResolvers<void>();
    const billing = new (class extends Billing {
      override async call(...asked: Parameters<Billing['call']>): Promise<never> {
        const answered = await super.call(...asked);
        if (this.calls > 1 && asked[0].name === 'acquire-leases') await answer.promise;
        return answered;
      }
    })({ 'wallet:1': 1_000_000_000 });
    const lifecycle = new Lifecycle();
    const budget = budgetOver(billing, { lifecycle });
    (await budget.hold(request(100))).settle(100);
    for (let index = 0; index < 130; index += 1) budget.holdAtOnce(request(100))?.settle(100);
    await elapse(10);
    const stopped = lifecycle.drain();
    await elapse(10);
    answer.resolve();
    await stopped;
    const { granted, returned } = billing.lease('wallet:1');
    expect([granted > 25_600, granted - returned]).toEqual([true, 131 * 100]);
  });

  it('requests nothing ahead from a fund that is running out', async () => {
    const billing = new Billing({ 'wallet:1': 100_000 });
    const budget = budgetOver(billing);
    (await budget.hold(request(900))).settle(900);
    const answered = billing.calls;
    const { granted } = billing.lease('wallet:1');
    expect(granted).toBeGreaterThan(900);
    while (budget.holdAtOnce(request(900))) await elapse(5);
    expect(billing.calls).toBe(answered);
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

  it('reports what is spent while others wait, and nothing otherwise', async () => {
    const billing = new Billing({ 'wallet:1': 100 });
    const { budget, recall } = await recallableBudget(billing);
    (await budget.hold(request(60))).settle(60);
    expect(billing.reports).toEqual([]);
    recall('wallet:1');
    await elapse(20);
    expect(billing.reports).toEqual([{ kind: 'wallet', id: 1, returned: 0, used: 60 }]);
    recall('wallet:1');
    await elapse(20);
    expect(billing.reports).toHaveLength(1);
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

  it('reports any number of accounts to billing when it stops', async () => {
    const users = Array.from({ length: 5100 }, (_, index) => index + 1);
    const billing = new Billing(Object.fromEntries(users.map((id) => [`wallet:${id}`, 1000])));
    const lifecycle = new Lifecycle();
    const budget = budgetOver(billing, { lifecycle });
    await Promise.all(users.map(async (userId) => (await budget.hold({ ...request(100), userId })).settle(40)));
    await lifecycle.drain();
    const returned = users.map((id) => billing.lease(`wallet:${id}`).returned);
    expect(new Set(returned)).toEqual(new Set([60]));
  }, 30_000);

  it('sends one heartbeat for all requests that waited for billing, and batches their lease requests', async () => {
    const users = Array.from({ length: 2500 }, (_, index) => index + 1);
    const billing = new Billing(Object.fromEntries(users.map((id) => [`wallet:${id}`, 1000])));
    const clock = new LeapingClock();
    const budget = budgetOver(billing, { clock });
    // The very first heartbeat is sent at once.
    await elapse(20);
    billing.syncs = 0;
    clock.away = 30_000;
    const holds = await Promise.all(users.map((userId) => budget.hold({ ...request(100), userId })));
    expect([holds.length, billing.syncs]).toEqual([2500, 1]);
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
    const subscribe = (_: string, listener: (account: string) => void): Promise<() => Promise<void>> => {
      recall = listener;
      return Promise.resolve(() => Promise.resolve());
    };
    const lifecycle = new Lifecycle();
    lifecycles.push(lifecycle);
    const billing = new (class extends Billing {
      override async call(...asked: Parameters<Billing['call']>): Promise<never> {
        const answer = await super.call(...asked);
        if (asked[0].name === 'acquire-leases') recall('wallet:1');
        return answer;
      }
    })({ 'wallet:1': 150 });
    const budget = budgetOver(billing, { keyValue: { subscribe }, lifecycle });
    (await budget.hold(request(100))).settle(60);
    await lifecycle.ready();
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

describe('an epoch that billing has expired', () => {
  useTurningTime();

  /** A budget whose epoch the next heartbeat replaces, while the reply to a request of user 2 under it is on its way. */
  async function withLateReply(): Promise<{ billing: SlowBilling; budget: Budget; late: Promise<Hold> }> {
    const billing = new SlowBilling({ 'wallet:1': 100, 'wallet:2': 100, 'wallet:3': 100 });
    const epochs: string[] = [];
    const { budget, recall } = await recallableBudget(billing, { noteEpoch: (epoch) => epochs.push(epoch) });
    (await budget.hold(request(60))).settle(0);
    billing.expire();
    billing.isSlow = true;
    const calls = billing.calls;
    const late = budget.hold({ ...request(10), userId: 2 });
    while (billing.calls === calls) await elapse(1);
    billing.isSlow = false;
    recall('wallet:1');
    while (epochs.length === 1) await elapse(1);
    return { billing, budget, late };
  }

  it('is replaced once, whichever reply says so last, so that what is lent to its successor comes back', async () => {
    const { billing, budget, late } = await withLateReply();
    const hold = await budget.hold({ ...request(10), userId: 3 });
    billing.release();
    expect([(await late).epoch, billing.epochs.length]).toEqual([hold.epoch, 2]);
    hold.settle(0);
    // What is idle for five seconds is returned with the next heartbeat.
    await elapse(11_000);
    expect(billing.lease('wallet:3', hold.epoch)).toMatchObject({ granted: 10, returned: 10 });
  });

  it('keeps no request of its successor waiting for a reply', async () => {
    const { billing, budget, late } = await withLateReply();
    const { epoch } = await budget.hold({ ...request(10), userId: 2 });
    billing.release();
    expect((await late).epoch).toBe(epoch);
  });

  it('does not pass its counters on to its successor', async () => {
    const billing = new Billing({ 'wallet:1': 2000, 'token:7': 1000 });
    const clock = new LeapingClock();
    let renewed: () => void = () => undefined;
    const { budget, recall } = await recallableBudget(billing, { clock, noteEpoch: () => renewed() });
    (await budget.hold(request(300))).settle(0);
    recall('wallet:1');
    const running = await budget.hold(request(100));
    clock.away = 90_000;
    billing.expire();
    // A request of the same user begins while the running one learns that its epoch is over.
    const fresh = new Promise<Hold>((resolve) => {
      renewed = () => queueMicrotask(() => resolve(budget.hold(request(100, 7))));
    });
    expect(await running.grow(200)).toBe(false);
    const { epoch, amount } = await fresh;
    const { granted, returned } = billing.lease('wallet:1', epoch);
    expect([amount, granted, returned]).toEqual([100, 100, 0]);
  });

  it('asks for nothing more, so that a billing that has lost its runs does not take it for a new one', async () => {
    const billing = new Billing({ 'wallet:1': 1000 });
    const clock = new LeapingClock();
    const budget = budgetOver(billing, { clock });
    (await budget.hold(request(100))).settle(0);
    billing.forget();
    clock.away = 30_000;
    const hold = await budget.hold(request(200));
    expect(billing.epochs).toEqual([hold.epoch]);
  });

  it('does not make a user with quota look as if there were none', async () => {
    const billing = new Billing({ 'wallet:1': 300, 'wallet:2': 10 });
    const budget = budgetOver(billing);
    (await budget.hold(request(100))).settle(0);
    billing.expire();
    await budget.requireFunds({ userId: 2, tokenId: 0 });
    await expect(budget.requireFunds({ userId: 3, tokenId: 0 })).rejects.toBeInstanceOf(HoldRefused);
    expect(billing.epochs).toHaveLength(2);
  });

  it('is not presumed where nothing was lent yet', async () => {
    const billing = new (class extends Billing {
      isAway = true;
      override call(...asked: Parameters<Billing['call']>): Promise<never> {
        return this.isAway ? Promise.reject(new Error('billing is away')) : super.call(...asked);
      }
    })({ 'wallet:1': 100 });
    const epochs: string[] = [];
    const { budget } = await recallableBudget(billing, { noteEpoch: (epoch) => epochs.push(epoch) });
    await expect(budget.hold(request(10))).rejects.toThrow('billing is away');
    billing.isAway = false;
    while (billing.syncs === 0) await elapse(1);
    await elapse(1);
    expect(epochs).toEqual(billing.epochs);
  });
});

describe('a budget that stops', () => {
  it('leaves no timer behind', async () => {
    const lifecycle = new Lifecycle();
    const budget = budgetOver(new Billing({ 'wallet:1': 1000 }), { lifecycle });
    (await budget.hold(request(100))).settle(100);
    const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    await lifecycle.drain();
    expect(timers()).toBeLessThanOrEqual(before);
  });
});
