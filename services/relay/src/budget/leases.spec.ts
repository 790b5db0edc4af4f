import { describe, expect, it, jest } from '@jest/globals';
import { acquireLeases } from '@tollgate/contracts';
import { Lifecycle } from '@tollgate/chassis';
import { Billing } from '../../test/billing-double.js';
import { budgetOver, elapse, LeapingClock, recallableBudget, request, useTurningTime } from '../../test/budgets.js';
import { HoldRefused } from './hold.js';

describe('blocks of quota', () => {
  useTurningTime();

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

  it('reports what is spent while others wait, and nothing otherwise', async () => {
    const billing = new Billing({ 'wallet:1': 100 });
    const { budget, recall } = await recallableBudget(billing);
    (await budget.hold(request(60))).settle(60);
    expect(billing.reports).toEqual([]);
    recall('wallet:1');
    await elapse(20);
    expect(billing.reports).toEqual([{ kind: 'wallet', id: 1, granted: 60, returned: 0, used: 60 }]);
    recall('wallet:1');
    await elapse(20);
    expect(billing.reports).toHaveLength(1);
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
  });

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
});

/** Serves requests for quota whose replies get lost, while it is told to. */
class LossyBilling extends Billing {
  isLossy = false;

  override async call(...asked: Parameters<Billing['call']>): Promise<never> {
    const answer = await super.call(...asked);
    if (this.isLossy && asked[0].name === 'acquire-leases') throw new Error('the reply is lost');
    return answer;
  }
}

describe('a grant whose reply was lost', () => {
  useTurningTime();

  it('is learned of by the next heartbeat, and returned when it stays idle', async () => {
    const billing = new LossyBilling({ 'wallet:1': 100, 'token:7': 100 });
    const { budget } = await recallableBudget(billing);
    billing.isLossy = true;
    await expect(budget.hold(request(60, 7))).rejects.toThrow('the reply is lost');
    expect(billing.lease('wallet:1')).toMatchObject({ granted: 60, returned: 0 });
    await elapse(16_000);
    for (const account of ['wallet:1', 'token:7'])
      expect(billing.lease(account)).toMatchObject({ granted: 60, returned: 60 });
  });

  it('is returned when the relay stops', async () => {
    const billing = new LossyBilling({ 'wallet:1': 100 });
    const lifecycle = new Lifecycle();
    const budget = budgetOver(billing, { lifecycle });
    billing.isLossy = true;
    await expect(budget.hold(request(60))).rejects.toThrow('the reply is lost');
    await lifecycle.drain();
    expect(billing.lease('wallet:1')).toMatchObject({ granted: 60, returned: 60 });
  });

  it('comes back when others want it, although it was granted after a heartbeat had asked for it', async () => {
    const billing = new LossyBilling({ 'wallet:1': 100, 'wallet:2': 100 });
    const { budget } = await recallableBudget(billing);
    // Heartbeats with nothing to report name the first account.
    (await budget.hold({ ...request(10), userId: 2 })).settle(10);
    billing.isLossy = true;
    await expect(budget.hold(request(10))).rejects.toThrow('the reply is lost');
    await elapse(16_000);
    expect(billing.lease('wallet:1')).toMatchObject({ granted: 10, returned: 10 });
    // The relay has given up on this request long before billing serves it.
    const none = { granted: 0, returned: 0, used: 0 };
    const late = { userId: 1, tokenId: 0, walletNeed: 70, tokenNeed: 0, wallet: none, token: none };
    const [replicaEpoch] = billing.epochs;
    await billing.call(acquireLeases, { replicaEpoch, requests: [late] }).catch(() => undefined);
    await elapse(16_000);
    expect(billing.lease('wallet:1')).toMatchObject({ granted: 70, returned: 10 });
    billing.recalled = [{ kind: 'wallet', id: 1 }];
    await elapse(16_000);
    expect(billing.lease('wallet:1')).toMatchObject({ granted: 70, returned: 70 });
  });
});

describe('a billing that has lost its last commits', () => {
  useTurningTime();

  it('is told by the next heartbeat what it had lent, so that it lends nothing twice', async () => {
    const billing = new Billing({ 'wallet:1': 100, 'wallet:2': 100 });
    const { budget } = await recallableBudget(billing);
    (await budget.hold({ ...request(10), userId: 2 })).settle(10);
    await elapse(6_000);
    const fail = billing.keep();
    const running = await budget.hold(request(60));
    // Two heartbeats are lost with the grant.
    await elapse(11_000);
    fail();
    await elapse(6_000);
    expect(billing.lease('wallet:1', running.epoch)).toMatchObject({ granted: 60, returned: 0 });
    await expect(budgetOver(billing).hold(request(60))).rejects.toBeInstanceOf(HoldRefused);
  });

  it('is told of a grant since the last heartbeat, too, and of what was returned', async () => {
    const billing = new Billing({ 'wallet:1': 100, 'wallet:2': 100, 'wallet:3': 100 });
    const { budget } = await recallableBudget(billing);
    // Heartbeats with nothing to report name the first account.
    (await budget.hold({ ...request(10), userId: 3 })).settle(10);
    (await budget.hold({ ...request(90), userId: 2 })).settle(10);
    const lost = billing.keep();
    const { epoch } = await budget.hold(request(60));
    lost();
    await elapse(6_000);
    expect(billing.lease('wallet:1', epoch)).toMatchObject({ granted: 60, returned: 0 });
    const fail = billing.keep();
    await elapse(11_000);
    expect(billing.lease('wallet:2', epoch)).toMatchObject({ granted: 90, returned: 80 });
    fail();
    await elapse(11_000);
    expect(billing.lease('wallet:2', epoch)).toMatchObject({ granted: 90, returned: 80 });
  });

  it('is told of a lease beside accounts of which the relay doubts that it was lent anything', async () => {
    const billing = new Billing({ 'wallet:1': 1000 });
    const { budget } = await recallableBudget(billing);
    (await budget.hold(request(10))).settle(10);
    await elapse(16_000);
    jest.spyOn(billing, 'call').mockRejectedValueOnce(new Error('no reply'));
    await expect(budget.hold({ ...request(10), userId: 2 })).rejects.toThrow();
    billing.reports.length = 0;
    await elapse(6_000);
    expect(billing.reports).toMatchObject([{ id: 1 }, { id: 2 }]);
  });

  it('is told everything once, not by every heartbeat', async () => {
    const billing = new Billing({ 'wallet:1': 1000, 'wallet:2': 100 });
    const { budget } = await recallableBudget(billing);
    for (const userId of [1, 2]) (await budget.hold({ ...request(10), userId })).settle(10);
    await elapse(6_000);
    const fail = billing.keep();
    await elapse(6_000);
    billing.reports.length = 0;
    fail();
    await elapse(21_000);
    // Each account once, and one of them in each heartbeat, which must name a lease if there is any.
    expect(billing.reports.filter((report) => 'id' in report && report.id === 2)).toHaveLength(1);
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
