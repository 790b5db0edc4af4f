import { LookAhead } from './look-ahead.js';

/**
 * What this replica may spend from one account (a wallet or a token budget) in one epoch. All counters are cumulative units:
 * `granted` by billing, `returned` to it, `used` by settled requests; `held` is set aside for running ones.
 */
export class AccountBlock {
  granted = 0;
  returned = 0;
  /** What billing knows of `returned`. */
  reported = 0;
  used = 0;
  /** What billing was told of `used` when somebody waited for it. */
  reportedUsed = 0;
  /** Others wait for quota of this account, so billing should know what of it is spent. */
  isWanted = false;
  held = 0;
  /** Running requests that something of it is set aside for. */
  open = 0;
  /** Monotonic milliseconds of the last hold or settlement; an idle block goes back. */
  touchedAt: number;
  readonly ahead = new LookAhead(this);

  constructor(
    readonly kind: 'wallet' | 'token',
    readonly id: number,
    now: number,
  ) {
    this.touchedAt = now;
  }

  /** Units free for a new hold; negative when requests cost more than was held for them. */
  get idle(): number {
    return this.granted - this.returned - this.used - this.held;
  }

  place(amount: number, now: number): void {
    this.open += 1;
    this.enlarge(amount, now);
  }

  /** Sets more units aside for a request that has a hold. */
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

  /** Counters of a reply; an old one that arrives late cannot take anything back. */
  learn({ granted, returned }: { granted: number; returned: number }): void {
    this.granted = Math.max(this.granted, granted);
    this.returned = Math.max(this.returned, returned);
  }

  /** Whether billing ought to be told something about this block. */
  get hasNews(): boolean {
    return this.returned > this.reported || (this.isWanted && this.used > this.reportedUsed);
  }

  /** Gives back what lies idle, because somebody else waits for this account; tells whether billing ought to be told something. */
  recall(): boolean {
    this.isWanted = true;
    this.ahead.rest();
    this.giveBack();
    return this.hasNews;
  }

  /** To be called once billing has been told these counters. */
  told({ returned, used }: { returned: number; used: number }): void {
    this.reported = Math.max(this.reported, returned);
    this.reportedUsed = Math.max(this.reportedUsed, used);
    if (this.reportedUsed === this.used) this.isWanted = false;
  }

  /** Marks everything that is not set aside as returned; false when there is nothing. */
  giveBack(): boolean {
    const { idle } = this;
    if (idle <= 0) return false;
    this.returned += idle;
    return true;
  }
}
