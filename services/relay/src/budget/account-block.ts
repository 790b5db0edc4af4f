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
  held = 0;
  /** Monotonic milliseconds of the last hold or settlement; an idle block goes back. */
  touchedAt: number;

  constructor(
    readonly kind: 'wallet' | 'token',
    readonly id: number,
    now: number,
  ) {
    this.touchedAt = now;
  }

  /** Free for a new hold; negative when requests cost more than was held for them. */
  get idle(): number {
    return this.granted - this.returned - this.used - this.held;
  }

  place(amount: number, now: number): void {
    this.held += amount;
    this.touchedAt = now;
  }

  settle(amount: number, actual: number, now: number): void {
    this.held -= amount;
    this.used += actual;
    this.touchedAt = now;
  }

  /** Counters of a reply; an old one that arrives late cannot take anything back. */
  learn({ granted, returned }: { granted: number; returned: number }): void {
    this.granted = Math.max(this.granted, granted);
    this.returned = Math.max(this.returned, returned);
  }

  /** Marks everything that is not set aside as returned; false when there is nothing. */
  giveBack(): boolean {
    const { idle } = this;
    if (idle <= 0) return false;
    this.returned += idle;
    return true;
  }
}
