import type { Clock } from '@tollgate/chassis';
import type { KnownCost } from './cost-memory.js';
import type { Hold } from './hold.js';
import type { Leases, Pair } from './leases.js';

/** Callbacks by which the budget follows its holds. */
interface HoldWatcher {
  /** The amount set aside changed by this many units. */
  held(by: number): void;
  settled(actual: number, outputTokens: number): void;
}

/** Quota set aside in the block of a wallet and, where the token has a budget of its own, in that block too. */
export class OpenHold implements Hold {
  amount: number;
  shortage: Hold['shortage'];
  private isOpen = true;
  private ended: (() => void) | undefined;

  constructor(
    private readonly leases: Leases,
    private readonly pair: Pair,
    private readonly terms: { amount: number; overhead: number; known?: KnownCost },
    private readonly around: { clock: Clock; watcher: HoldWatcher },
  ) {
    const now = around.clock.monotonic();
    this.amount = terms.amount;
    pair.wallet.place(this.amount, now);
    pair.token?.place(this.amount, now);
    around.watcher.held(this.amount);
  }

  get epoch(): string {
    return this.pair.epoch.id;
  }

  get overhead(): number {
    return this.terms.overhead;
  }

  get known(): KnownCost | undefined {
    return this.terms.known;
  }

  settle(actual: number, outputTokens = 0): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    const { clock, watcher } = this.around;
    const now = clock.monotonic();
    this.pair.wallet.settle(this.amount, actual, now);
    this.pair.token?.settle(this.amount, actual, now);
    watcher.held(-this.amount);
    this.ended?.();
    watcher.settled(actual, outputTokens);
  }

  /** Calls the listener once when the hold is settled. */
  whenEnded(listener: () => void): void {
    this.ended = listener;
  }

  grow(to: number): boolean | Promise<boolean> {
    const more = to - this.amount;
    if (more <= 0 || this.enlarge(more)) return true;
    // Billing has expired the epoch that the record names, and lends nothing to it any more.
    return this.isOpen && this.leases.isCurrent(this.pair) && this.growByRequest(to);
  }

  /** Tries twice, because the first reply may belong to a concurrent request of another hold. */
  private async growByRequest(to: number): Promise<boolean> {
    for (let turn = 0; turn < 2; turn += 1) {
      const result = await this.leases.acquire(this.pair, to - this.amount);
      // As in `grow`: billing has expired the epoch in the meantime.
      if (!result) return false;
      const { walletAvailable, tokenAvailable } = result;
      const need = to - this.amount;
      if (this.enlarge(need)) return true;
      const { wallet, token } = this.pair;
      const ofToken = token ? token.idle + tokenAvailable : Infinity;
      this.shortage =
        ofToken < need
          ? { account: 'token', left: Math.max(0, ofToken), need }
          : { account: 'wallet', left: Math.max(0, wallet.idle + walletAvailable), need };
    }
    return false;
  }

  private enlarge(more: number): boolean {
    if (!this.isOpen || !this.leases.fits(this.pair, more)) return false;
    const now = this.around.clock.monotonic();
    this.pair.wallet.enlarge(more, now);
    this.pair.token?.enlarge(more, now);
    this.amount += more;
    this.around.watcher.held(more);
    return true;
  }
}
