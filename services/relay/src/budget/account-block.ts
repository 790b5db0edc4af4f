import type { FundKind } from '@tollgate/contracts';
import { LookAhead } from './look-ahead.js';

/** What a heartbeat tells billing about a block. */
interface BlockReport {
  granted: number;
  returned: number;
  used: number;
  doubts: number;
}

const NOTHING: BlockReport = { granted: 0, returned: 0, used: 0, doubts: 0 };

/**
 * The quota of one account (a wallet or a token budget) that this replica may spend in one epoch. All counters are in
 * units and cumulative: `granted` by billing, `returned` to it, `used` by settled requests. `held` is the amount that
 * running requests have set aside.
 */
export class AccountBlock {
  granted = 0;
  returned = 0;
  used = 0;
  /** How often there was reason to doubt that this replica knows what it was granted. */
  private doubts = 0;
  /** What billing was last told. */
  private told = NOTHING;
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

  /**
   * Billing may have granted more than this replica knows: the reply to a request was lost, or billing expects quota back
   * and there is none. The next heartbeat names the block, and the reply to it says what was granted.
   */
  doubt(): void {
    this.doubts += 1;
  }

  /** Whether a heartbeat has to name this block. */
  get hasUnreported(): boolean {
    const { granted, doubts, told } = this;
    return granted > told.granted || doubts > told.doubts || this.isAwaited;
  }

  /** Whether there is something to report that others wait for. */
  private get isAwaited(): boolean {
    return this.returned > this.told.returned || (this.isWanted && this.used > this.told.used);
  }

  /** What is spent matters only to others that wait. For all accounts in use it would be many writes for nothing. */
  report(): BlockReport {
    const { granted, returned, used, doubts, told } = this;
    return { granted, returned, used: this.isAwaited ? used : told.used, doubts };
  }

  /**
   * Returns the idle units, because another replica waits for this account. True when there is something to report to
   * billing at once.
   */
  recall(): boolean {
    this.isWanted = true;
    this.ahead.rest();
    this.giveBack();
    return this.isAwaited;
  }

  /** Notes that billing was told this. */
  markReported({ granted, returned, used, doubts }: BlockReport): void {
    const { told } = this;
    this.told = {
      granted: Math.max(told.granted, granted),
      returned: Math.max(told.returned, returned),
      used: Math.max(told.used, used),
      doubts: Math.max(told.doubts, doubts),
    };
    if (this.told.used === this.used) this.isWanted = false;
  }

  /** Billing has lost what it was told. */
  forgetReported(): void {
    this.told = NOTHING;
  }

  /** Marks all idle units as returned; false when there are none. */
  giveBack(): boolean {
    const { idle } = this;
    if (idle <= 0) return false;
    this.returned += idle;
    return true;
  }
}
