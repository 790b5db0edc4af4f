import { lending } from '@tollgate/contracts';

/**
 * For how long the next block should last at the current pace, in milliseconds. It is requested when half of the
 * current block is used.
 */
const AHEAD_MS = 4000;
/** Other replicas request quota at the same time, so only this part of what is available is counted on. */
const SHARE = 0.5;

/** What of a block's counters decides, in units. */
interface Counters {
  readonly idle: number;
  readonly used: number;
  readonly held: number;
}

/** What a reply of billing says about one account. */
interface LeaseReply {
  now: number;
  /** Units that were requested, and units that were lent. */
  need: number;
  lent: number;
  isGranted: boolean;
  /** Units that could still be lent to any replica after this reply. */
  available: number;
}

/**
 * Decides when to request the next block of an account, before the current one is used up. Otherwise the next request
 * would wait for billing, which may be booking on the very same account. Nothing is requested ahead from a fund that is
 * running out, because quota idle here would be missing elsewhere.
 */
export class LookAhead {
  private lowAt = -Infinity;
  private available = 0;
  private takenAt = 0;
  private since = 0;

  constructor(private readonly block: Counters) {}

  get isLow(): boolean {
    return this.block.idle < this.lowAt;
  }

  /**
   * How many units to request from billing now; 0 for none. Afterwards `isLow` stays false until billing has replied,
   * so that concurrent callers send one request; this holds also where requesting ahead is not advisable. `most` is
   * what one request sets aside.
   */
  nextRequest(most: number, now: number): number {
    if (!this.isLow) return 0;
    this.rest();
    const pace = (takenFrom(this.block) - this.takenAt) / Math.max(1, now - this.since);
    const wanted = Math.max(most, Math.ceil((pace * AHEAD_MS) / lending.mostNeeds));
    const need = Math.min(wanted, Math.floor((this.available * SHARE) / lending.scarceNeeds));
    return need < most ? 0 : need;
  }

  /** Takes over a reply of billing. */
  applyReply({ now, need, lent, isGranted, available }: LeaseReply): void {
    this.available = available;
    if (need === 0) return;
    if (lent > need) this.lowAt = this.block.idle / 2;
    // Less than the need was lent because the reply to another request brought the rest; that reply says whether the
    // fund has plenty.
    else if (!isGranted || lent === need) this.rest();
    this.takenAt = takenFrom(this.block);
    this.since = now;
  }

  /** Stops requesting ahead until billing has granted a regular request. */
  rest(): void {
    this.lowAt = -Infinity;
  }
}

const takenFrom = ({ used, held }: Counters): number => used + held;
