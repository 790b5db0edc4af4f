import { describe, expect, it } from '@jest/globals';
import { Billing } from '../../test/billing-double.js';
import { budgetOver, elapse, LeapingClock, recallableBudget, request, useTurningTime } from '../../test/budgets.js';
import type { Budget } from './budget.js';
import { type Hold, HoldRefused } from './hold.js';

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

describe('past epochs', () => {
  useTurningTime();

  it('are told to be over until billing knows it, and again when it has lost that', async () => {
    const billing = new Billing({ 'wallet:1': 100 });
    const { budget } = await recallableBudget(billing, { finished: new Set(['past']) });
    (await budget.hold(request(10))).settle(10);
    const fail = billing.keep();
    await elapse(11_000);
    expect(billing.recovered).toEqual(['past']);
    fail();
    await elapse(21_000);
    expect(billing.recovered).toEqual(['past', 'past']);
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

  it('is over for the spool once none of its requests runs', async () => {
    const billing = new Billing({ 'wallet:1': 300, 'wallet:2': 10 });
    const over: string[] = [];
    const { budget } = await recallableBudget(billing, { endEpoch: (epoch) => over.push(epoch) });
    const running = await budget.hold(request(100));
    billing.expire();
    (await budget.hold({ ...request(10), userId: 2 })).settle(0);
    await elapse(11_000);
    expect(over).toEqual([]);
    running.settle(100);
    await elapse(11_000);
    expect(over).toEqual([running.epoch]);
  });

  it('is not over for a billing of the previous release, which would not wait for its last records', async () => {
    const billing = new Billing({ 'wallet:1': 300, 'wallet:2': 10 });
    billing.isOld = true;
    const over: string[] = [];
    const { budget } = await recallableBudget(billing, { endEpoch: (epoch) => over.push(epoch) });
    (await budget.hold(request(100))).settle(100);
    billing.expire();
    (await budget.hold({ ...request(10), userId: 2 })).settle(0);
    await elapse(11_000);
    expect(over).toEqual([]);
    billing.isOld = false;
    await elapse(11_000);
    expect(over).toHaveLength(1);
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
