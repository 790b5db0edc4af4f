import { afterEach, describe, expect, it } from '@jest/globals';
import { acquireLeases, type InternalCall } from '@tollgate/contracts';
import { Clock, InternalClient, Lifecycle, Logger, Metrics } from '@tollgate/platform';
import { Budget, HoldRefused } from './budget.js';

interface Request {
  userId: number;
  tokenId: number;
  walletNeed: number;
  tokenNeed: number;
}

/** Billing's promise in a few lines: available = credit − spent − outstanding, wallet and token together or not at all. */
class Billing extends InternalClient {
  calls = 0;
  /** Accounts of heartbeats, as they were named. */
  readonly reports: object[] = [];
  readonly outstanding = new Map<string, { granted: number; returned: number }>();

  constructor(
    readonly credit: Record<string, number>,
    readonly foreign: Record<string, number> = {},
  ) {
    super();
  }

  override call(call: InternalCall, input: unknown): Promise<never> {
    this.calls += 1;
    const answer =
      call.name === acquireLeases.name
        ? this.acquire(input as { requests: Request[] })
        : this.sync(input as { accounts: { kind: string; id: number; returned: number }[] });
    return Promise.resolve(answer as never);
  }

  private counters(key: string): { granted: number; returned: number } {
    const counters = this.outstanding.get(key) ?? { granted: 0, returned: 0 };
    this.outstanding.set(key, counters);
    return counters;
  }

  private available(key: string): number {
    const { granted, returned } = this.counters(key);
    return (this.credit[key] ?? 0) - (granted - returned) - (this.foreign[key] ?? 0);
  }

  private acquire({ requests }: { requests: Request[] }): unknown {
    return { alive: true, results: requests.map((request) => this.serve(request)) };
  }

  private serve({ userId, tokenId, walletNeed, tokenNeed }: Request): unknown {
    const wallet = `wallet:${userId}`;
    const token = `token:${tokenId}`;
    const walletAvailable = this.available(wallet);
    const tokenAvailable = this.available(token);
    const lacksToken = tokenId > 0 && tokenAvailable < tokenNeed;
    const fits = walletAvailable >= walletNeed && !lacksToken;
    if (fits) {
      this.counters(wallet).granted += walletNeed;
      this.counters(token).granted += tokenNeed;
    }
    const [walletElsewhere, tokenElsewhere] = [this.foreign[wallet] ?? 0, this.foreign[token] ?? 0];
    return {
      outcome: this.outcome(fits, walletElsewhere, lacksToken),
      wallet: { ...this.counters(wallet) },
      token: { ...this.counters(token) },
      walletAvailable,
      tokenAvailable,
      walletQuota: this.credit[wallet] ?? 0,
      tokenQuota: this.credit[token] ?? 0,
      walletElsewhere,
      tokenElsewhere,
    };
  }

  private outcome(fits: boolean, elsewhere: number, lacksToken: boolean): string {
    if (fits) return 'granted';
    if (elsewhere > 0) return 'busy';
    return lacksToken ? 'short-token' : 'short-wallet';
  }

  private sync({ accounts }: { accounts: { kind: string; id: number; returned: number }[] }): unknown {
    if (accounts.length > 5000) throw new Error('too many accounts in one message');
    this.reports.push(...accounts);
    for (const { kind, id, returned } of accounts) this.counters(`${kind}:${id}`).returned = returned;
    return { alive: true, recall: [] };
  }
}

/** Two seconds of patience are over in a tenth of one. */
class FastClock extends Clock {
  override monotonic(): number {
    return super.monotonic() * 20;
  }
}

const noSpool = { noteEpoch: () => undefined, finishedEpochs: () => [], forgetEpochs: () => undefined };
const silent = { subscribe: () => Promise.resolve(() => Promise.resolve()) };
const lifecycles: Lifecycle[] = [];
function budgetOver(billing: Billing, clock = new Clock()): Budget {
  const lifecycle = new Lifecycle();
  lifecycles.push(lifecycle);
  return new Budget(billing, clock, Logger.root('silent'), noSpool, silent, lifecycle, new Metrics('relay'));
}
afterEach(async () => {
  for (const lifecycle of lifecycles.splice(0)) await lifecycle.drain();
});

const shape = { userId: 1, model: 'm', promptBytes: 100, maxTokens: 10, price: 'v1/default' };
const request = (amount: number, tokenId = 0): Parameters<Budget['hold']>[0] => ({ userId: 1, tokenId, amount, shape });
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Calls at once whose hold is larger than what they cost in the end. */
async function storm(
  budget: Budget,
  calls: number,
  { hold, cost, tokenId = 0 }: { hold: number; cost: number; tokenId?: number },
): Promise<number> {
  const served = await Promise.all(
    Array.from({ length: calls }, async () => {
      try {
        const placed = await budget.hold(request(hold, tokenId));
        await pause(5);
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
  it('admits exactly what a wallet is worth by actual cost, although holds are larger', async () => {
    expect(await storm(budgetOver(new Billing({ 'wallet:1': 50 * 40 })), 200, { hold: 100, cost: 40 })).toBe(50);
  });

  it('admits exactly what a token budget is worth on a rich wallet', async () => {
    const billing = new Billing({ 'wallet:1': 1_000_000, 'token:7': 30 * 40 });
    expect(await storm(budgetOver(billing), 100, { hold: 90, cost: 40, tokenId: 7 })).toBe(30);
  });

  it('does not go by what a call cost at another price', async () => {
    const budget = budgetOver(new Billing({ 'wallet:1': 150 }));
    (await budget.hold(request(100))).settle(40);
    const dearer = { ...shape, price: 'v2/default' };
    await expect(budget.hold({ ...request(1_000_000), shape: dearer })).rejects.toBeInstanceOf(HoldRefused);
  });

  it('asks billing once for what many warm requests need', async () => {
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

  it('names the token when its budget is what lacks', async () => {
    const billing = new Billing({ 'wallet:1': 1000, 'token:7': 5 });
    await expect(budgetOver(billing).hold(request(100, 7))).rejects.toMatchObject({ reason: 'token', tokenQuota: 5 });
  });

  it('gives up after two seconds when another replica keeps what is left', async () => {
    const billing = new Billing({ 'wallet:1': 1000 }, { 'wallet:1': 950 });
    const started = performance.now();
    await expect(budgetOver(billing).hold(request(100))).rejects.toBeInstanceOf(HoldRefused);
    expect(performance.now() - started).toBeGreaterThan(1900);
  });

  it('serves what is left when the replica that keeps the rest does not answer', async () => {
    const elsewhere: Record<string, number> = {};
    const budget = budgetOver(new Billing({ 'wallet:1': 200 }, elsewhere), new FastClock());
    (await budget.hold(request(100))).settle(40);
    elsewhere['wallet:1'] = 110;
    // 200 − 40 − 110 = 50 are left: less than the bound of 100, and enough for the 40 such a call costs.
    const hold = await budget.hold(request(100));
    expect(hold.amount).toBe(50);
    hold.settle(40);
    await expect(budget.hold(request(100))).rejects.toBeInstanceOf(HoldRefused);
  });

  it('tells what is spent when others wait, and nothing when nobody does', async () => {
    const billing = new Billing({ 'wallet:1': 100 });
    let recall: (account: string) => void = () => undefined;
    const subscribe = (_: string, listener: (account: string) => void): Promise<() => Promise<void>> => {
      recall = listener;
      return Promise.resolve(() => Promise.resolve());
    };
    const lifecycle = new Lifecycle();
    lifecycles.push(lifecycle);
    const budget = new Budget(
      billing,
      new Clock(),
      Logger.root('silent'),
      noSpool,
      { subscribe },
      lifecycle,
      new Metrics('relay'),
    );
    await lifecycle.ready();
    (await budget.hold(request(60))).settle(60);
    expect(billing.reports).toEqual([]);
    recall('wallet:1');
    await pause(20);
    expect(billing.reports).toEqual([{ kind: 'wallet', id: 1, returned: 0, used: 60 }]);
    recall('wallet:1');
    await pause(20);
    expect(billing.reports).toHaveLength(1);
  });

  it('waits as long as another replica gets on with its requests', async () => {
    const elsewhere: Record<string, number> = { 'wallet:1': 100 };
    const hold = budgetOver(new Billing({ 'wallet:1': 100 }, elsewhere), new FastClock()).hold(request(50));
    // Eight seconds by that clock, and never two without a change.
    for (const left of [90, 80, 70, 60, 55, 52, 50]) {
      await pause(60);
      elsewhere['wallet:1'] = left;
    }
    expect((await hold).amount).toBe(50);
  });

  it('tells billing of any number of accounts when it stops', async () => {
    const users = Array.from({ length: 5100 }, (_, index) => index + 1);
    const billing = new Billing(Object.fromEntries(users.map((id) => [`wallet:${id}`, 1000])));
    const lifecycle = new Lifecycle();
    const budget = new Budget(
      billing,
      new Clock(),
      Logger.root('silent'),
      noSpool,
      silent,
      lifecycle,
      new Metrics('relay'),
    );
    await Promise.all(users.map(async (userId) => (await budget.hold({ ...request(100), userId })).settle(40)));
    await lifecycle.drain();
    const returned = [...billing.outstanding]
      .filter(([key]) => key.startsWith('wallet:'))
      .map(([, counters]) => counters.returned);
    expect([returned.length, new Set(returned)]).toEqual([5100, new Set([60])]);
  }, 30_000);

  it('settles a hold once', async () => {
    const budget = budgetOver(new Billing({ 'wallet:1': 300 }));
    const hold = await budget.hold(request(100));
    hold.settle(100);
    hold.settle(0);
    (await budget.hold(request(200))).settle(200);
    await expect(budget.hold(request(1))).rejects.toBeInstanceOf(HoldRefused);
  });
});
