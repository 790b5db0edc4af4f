import type { FundKind } from '@tollgate/contracts';
import { LookAhead } from './look-ahead.js';

/**
 * The quota of one account (a wallet or a token budget) that this replica may spend in one epoch. All counters are in
 * units and cumulative: `granted` by billing, `returned` to it, `used` by settled requests. `held` is the amount that
 * running requests have set aside.
 */
export class AccountBlock {
  granted = 0;
  returned = 0;
  /** The value of `returned` that was last reported to billing. */
  reported = 0;
  used = 0;
  /** The value of `used` that was last reported to billing, which is only reported while others wait for quota. */
  reportedUsed = 0;
  /** Others wait for quota of this account, so `used` is to be reported to billing. */
  isWanted = false;
  held = 0;
  /** Running requests that have a hold on this block. */
  open = 0;
  /** Monotonic milliseconds of the last hold or settlement; an idle block is returned. */
  touchedAt: number;
  readonly ahead = new LookAhead(this);

  constructor(
    readonly kind: FundKind,
    readonly id: number,
    now: number,
  ) {
    this.touchedAt = now;
  }

  /** Units free for a new hold; negative when requests cost more than their holds. */
  get idle(): number {
    return this.granted - this.returned - this.used - this.held;
  }

  place(amount: number, now: number): void {
    this.open += 1;
    this.enlarge(amount, now);
  }

  /** Sets more units aside for a request that already has a hold. */
  enlarge(amount: number, now: number): void {
    this.held += amount;
    this.touchedAt = now;
  }

  settle(amount: number, actual: number, now: number): void {
    this.open -= 1;
    this.held -= amount;
    this.used += actual;
    this.touchedAt = now;
  }

  /** Takes over the counters of a reply; an old reply that arrives late cannot lower them. */
  learn({ granted, returned }: { granted: number; returned: number }): void {
    this.granted = Math.max(this.granted, granted);
    this.returned = Math.max(this.returned, returned);
  }

  /** Whether this block has changes to report to billing. */
  get hasUnreported(): boolean {
    return this.returned > this.reported || (this.isWanted && this.used > this.reportedUsed);
  }

  /**
   * Returns the idle units, because another replica waits for this account. True when there is something to report to
   * billing.
   */
  recall(): boolean {
    this.isWanted = true;
    this.ahead.rest();
    this.giveBack();
    return this.hasUnreported;
  }

  /** Notes that these counters were reported to billing. */
  markReported({ returned, used }: { returned: number; used: number }): void {
    this.reported = Math.max(this.reported, returned);
    this.reportedUsed = Math.max(this.reportedUsed, used);
    if (this.reportedUsed === this.used) this.isWanted = false;
  }

  /** Marks all idle units as returned; false when there are none. */
  giveBack(): boolean {
    const { idle } = this;
    if (idle <= 0) return false;
    this.returned += idle;
    return true;
  }
}
