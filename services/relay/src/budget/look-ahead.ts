import type { AccountBlock } from './account-block.js';

/** For how long the next block should last at the pace of this one, in milliseconds; it is asked for when half of this one is taken. */
const AHEAD_MS = 4000;
/** Billing lends so many times what is needed where a fund has plenty, and the need alone to a fund of fewer than so many needs. */
const LENT_NEEDS = 256;
const SCARCE_NEEDS = 64;
/** Other replicas ask at the same time, so what is left counts only in part. */
const SHARE = 0.5;

/** What an answer of billing says of one account. */
interface Heard {
  now: number;
  /** Units that were asked for and those that were lent. */
  need: number;
  lent: number;
  isGranted: boolean;
  /** Units that could still be lent to anybody after that. */
  available: number;
}

/**
 * When to ask for the next block of an account, before this one is used up: whoever comes then would wait for billing, which may be booking
 * on the very same account. A fund that is running out is never asked ahead: what lies idle here would be missing elsewhere.
 */
export class LookAhead {
  private lowAt = -Infinity;
  private available = 0;
  private takenAt = 0;
  private since = 0;

  constructor(private readonly block: AccountBlock) {}

  get isLow(): boolean {
    return this.block.idle < this.lowAt;
  }

  /**
   * How many units to ask billing for now; 0: none. Then this is not low again before billing has answered, so that one question is asked
   * however many look, also where it is better not to ask at all. `most`: what one request sets aside.
   */
  ask(most: number, now: number): number {
    if (!this.isLow) return 0;
    this.rest();
    const pace = (takenFrom(this.block) - this.takenAt) / Math.max(1, now - this.since);
    const wanted = Math.max(most, Math.ceil((pace * AHEAD_MS) / LENT_NEEDS));
    const need = Math.min(wanted, Math.floor((this.available * SHARE) / SCARCE_NEEDS));
    return need < most ? 0 : need;
  }

  /** Billing has answered. */
  hear({ now, need, lent, isGranted, available }: Heard): void {
    this.available = available;
    if (need === 0) return;
    if (lent > need) this.lowAt = this.block.idle / 2;
    // Less than the need is lent where the answer to another question has brought the rest: that one says whether there is plenty.
    else if (!isGranted || lent === need) this.rest();
    this.takenAt = takenFrom(this.block);
    this.since = now;
  }

  /** Nobody is asked ahead until somebody's need was answered. */
  rest(): void {
    this.lowAt = -Infinity;
  }
}

const takenFrom = ({ used, held }: AccountBlock): number => used + held;
