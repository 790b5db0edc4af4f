import type { Hold } from '../budget/hold.js';

export interface StreamTerms {
  hold: Pick<Hold, 'amount' | 'grow'>;
  /** The highest cost of one more token of output in units; 0 where length costs nothing. */
  tokenPrice: number;
  /**
   * Units by which our own count may exceed the hold before a stream is ended. Set where the upstream got an output
   * limit that the hold pays for: tokenizers differ, and an upstream that respects its limit must not be cut off for
   * that.
   */
  tolerance: number;
  /** The cost of the stream so far in units, by a cheap estimate. */
  rough(): number;
  /** The cost of the stream so far in units, by a tokenizer outside this thread. */
  exact(): Promise<number>;
}

/** Fewest bytes of the stream between two checks, which are a few events. */
const FEWEST_BYTES = 1024;
/** Tokens by which a hold is raised more than needed, so that it is raised rarely. */
const RESERVE_TOKENS = 1024;
/** Safety margin on the exact count when it replaces the estimate. */
const CAUTION = 1.05;

/**
 * Keeps the cost of a stream within its hold. No text has more tokens than bytes, so the cost is only rated when the
 * bytes since the last check could have used up what was left at that check; a whole stream takes a handful of checks.
 */
export class StreamBudget {
  /** `unseen`: bytes since the last check; `unseenText`: how many of them may be text. */
  private unseen = 0;
  private unseenText = 0;
  /** Bytes of text that the amount left at the last check pays for. */
  private room = 0;
  private hasChecked = false;
  /** Ratio of exact to estimated cost, as last compared. */
  private scale = 1;
  private tolerated = 0;
  private checking: Promise<boolean> | undefined;

  constructor(private readonly terms: StreamTerms) {}

  /**
   * Whether the stream may continue after these `bytes`, of which `text` may be text. While a returned promise is
   * pending, reading from the upstream should pause.
   */
  spend(bytes: number, text = bytes): boolean | Promise<boolean> {
    this.unseen += bytes;
    this.unseenText += text;
    if (this.checking) return this.checking;
    if (this.unseenText < this.room || (this.unseen < FEWEST_BYTES && this.hasChecked)) return true;
    const cost = this.terms.rough() * this.scale;
    if (cost <= this.ceiling) return this.goOn(cost);
    const grown = this.terms.hold.grow(this.withReserve(cost));
    if (grown === true) return this.goOn(cost);
    this.checking = this.checkExactly(grown).finally(() => (this.checking = undefined));
    return this.checking;
  }

  private get ceiling(): number {
    return this.terms.hold.amount + this.tolerated;
  }

  private goOn(cost: number): true {
    const { tokenPrice } = this.terms;
    this.room = tokenPrice > 0 ? (this.ceiling - cost) / tokenPrice : Infinity;
    this.unseen = 0;
    this.unseenText = 0;
    this.hasChecked = true;
    return true;
  }

  private async checkExactly(growing: false | Promise<boolean>): Promise<boolean> {
    const rough = this.terms.rough();
    // Billing may be unreachable; that is no reason to stop while the hold suffices.
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
