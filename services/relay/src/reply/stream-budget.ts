import type { Hold } from '../budget/hold.js';

export interface StreamTerms {
  hold: Pick<Hold, 'amount' | 'grow'>;
  /** Units that one more token of the answer costs at most; 0 where length costs nothing. */
  tokenPrice: number;
  /**
   * Units by which our own count may exceed the hold before a stream is ended whose upstream was told a limit that the hold pays for:
   * tokenizers differ, and an upstream that keeps to its limit must not be cut for that.
   */
  tolerance: number;
  /** What the stream costs so far in units, by a count that takes next to nothing. */
  rough(): number;
  /** The same by a tokenizer, away from this thread. */
  exact(): Promise<number>;
}

/** Between two looks come at least so many bytes of the stream, which are a few events. */
const FEWEST_BYTES = 1024;
/** A hold grows by so much more than it must, so that it grows seldom. */
const RESERVE_TOKENS = 1024;
/** How much nearer to the true count the rough one is taken to be, once both are known. */
const CAUTION = 1.05;

/**
 * Watches that what a stream costs stays within its hold. No text has more tokens than bytes, so nothing is rated until the bytes since the
 * last look could have used up what was left then; a whole stream takes a handful of looks.
 */
export class StreamBudget {
  /** Bytes since the last look, and how many of them may be text. */
  private unseen = 0;
  private unseenText = 0;
  /** Bytes of text that what was left then pays for. */
  private room = 0;
  private hasLooked = false;
  /** True units per rough one, as far as they were compared. */
  private scale = 1;
  private tolerated = 0;
  private looking: Promise<boolean> | undefined;

  constructor(private readonly terms: StreamTerms) {}

  /** Whether the stream may go on after so many bytes, of which so many may be text; until a promise answers, the upstream should pause. */
  spend(bytes: number, text = bytes): boolean | Promise<boolean> {
    this.unseen += bytes;
    this.unseenText += text;
    if (this.looking) return this.looking;
    if (this.unseenText < this.room || (this.unseen < FEWEST_BYTES && this.hasLooked)) return true;
    const cost = this.terms.rough() * this.scale;
    if (cost <= this.ceiling) return this.goOn(cost);
    const grown = this.terms.hold.grow(this.withReserve(cost));
    if (grown === true) return this.goOn(cost);
    this.looking = this.lookCloser(grown).finally(() => (this.looking = undefined));
    return this.looking;
  }

  private get ceiling(): number {
    return this.terms.hold.amount + this.tolerated;
  }

  private goOn(cost: number): true {
    const { tokenPrice } = this.terms;
    this.room = tokenPrice > 0 ? (this.ceiling - cost) / tokenPrice : Infinity;
    this.unseen = 0;
    this.unseenText = 0;
    this.hasLooked = true;
    return true;
  }

  private async lookCloser(growing: false | Promise<boolean>): Promise<boolean> {
    const rough = this.terms.rough();
    // Billing may be away: that is no reason to stop while the hold pays.
    if (await Promise.resolve(growing).catch(() => false)) return this.goOn(rough * this.scale);
    const cost = await this.terms.exact();
    this.scale = rough > 0 ? Math.min(1, (CAUTION * cost) / rough) : 1;
    if (cost <= this.ceiling || (await this.growTo(cost))) return this.goOn(cost);
    this.tolerated = this.terms.tolerance;
    return cost <= this.ceiling && this.goOn(cost);
  }

  private async growTo(cost: number): Promise<boolean> {
    for (const amount of [this.withReserve(cost), Math.ceil(cost)]) {
      const grown = await Promise.resolve(this.terms.hold.grow(amount)).catch(() => false);
      if (grown) return true;
    }
    return false;
  }

  private withReserve(cost: number): number {
    return Math.ceil(cost + Math.max(cost / 4, RESERVE_TOKENS * this.terms.tokenPrice));
  }
}
