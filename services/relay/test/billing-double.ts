import { acquireLeases, type InternalCall, lending } from '@tollgate/contracts';
import { InternalClient } from '@tollgate/chassis';

interface Request {
  userId: number;
  tokenId: number;
  walletNeed: number;
  tokenNeed: number;
  wallet: { returned: number };
}

/**
 * A minimal billing service: available = credit − spent − outstanding, and wallet and token are granted together or not
 * at all.
 */
export class Billing extends InternalClient {
  calls = 0;
  syncs = 0;
  /** When set, the next reply says that the replica's epoch is unknown. */
  forgets = false;
  /** The accounts named by heartbeats. */
  readonly reports: object[] = [];
  readonly outstanding = new Map<string, { granted: number; returned: number }>();

  constructor(
    readonly credit: Record<string, number>,
    readonly foreign: Record<string, number> = {},
    /** The factor by which more than the need is lent where there is plenty. */
    private readonly ahead = 1,
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
    if (requests.length > 1000) throw new Error('too many requests in one message');
    const alive = !this.forgets;
    this.forgets = false;
    return { alive, results: requests.map((request) => this.serve(request)) };
  }

  private serve({ userId, tokenId, walletNeed, tokenNeed, wallet: told }: Request): unknown {
    const wallet = `wallet:${userId}`;
    this.counters(wallet).returned = told.returned;
    const token = `token:${tokenId}`;
    const walletAvailable = this.available(wallet);
    const tokenAvailable = this.available(token);
    const lacksToken = tokenId > 0 && tokenAvailable < tokenNeed;
    const fits = walletAvailable >= walletNeed && !lacksToken;
    if (fits) {
      this.counters(wallet).granted += this.sizeOf(walletNeed, walletAvailable);
      this.counters(token).granted += this.sizeOf(tokenNeed, tokenAvailable);
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

  /** The amount lent, as `grantSize` of billing computes it. */
  private sizeOf(need: number, available: number): number {
    if (this.ahead === 1 || available < lending.scarceNeeds * need) return need;
    return Math.max(need, Math.min(this.ahead * need, Math.floor(available / 16)));
  }

  private outcome(fits: boolean, elsewhere: number, lacksToken: boolean): string {
    if (fits) return 'granted';
    if (elsewhere > 0) return 'busy';
    return lacksToken ? 'short-token' : 'short-wallet';
  }

  private sync({ accounts }: { accounts: { kind: string; id: number; returned: number }[] }): unknown {
    this.syncs += 1;
    if (accounts.length > 5000) throw new Error('too many accounts in one message');
    this.reports.push(...accounts);
    for (const { kind, id, returned } of accounts) this.counters(`${kind}:${id}`).returned = returned;
    return { alive: true, recall: [] };
  }
}
