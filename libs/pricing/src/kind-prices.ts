import { type Exact, exact, plus, rounded, times } from './exact.js';
import { type WholePrice, wholePrice, wholeUnits } from './whole-numbers.js';

/**
 * Prices of tokens by kind: a ratio for each kind, times one multiplier. Computes with plain numbers where they are exact, else with exact
 * decimals; both are built from the same ratios, so they cannot differ in the kinds they support.
 */
export class KindPrices<Kind extends string> {
  private readonly whole: WholePrice<Kind> | undefined;

  constructor(
    private readonly ratios: Readonly<Record<Kind, Exact>>,
    private readonly multiplier: Exact,
  ) {
    this.whole = wholePrice(ratios, multiplier);
  }

  /** Whole units, halves rounded up; Infinity beyond the safe integers. Counts below zero are ignored. */
  unitsOf(counts: Readonly<Record<Kind, number>>): number {
    return (this.whole && wholeUnits(counts, this.whole)) ?? toUnits(this.exactly(counts));
  }

  /** The exact amount before rounding. */
  exactly(counts: Readonly<Record<Kind, number>>): Exact {
    let sum = exact(0);
    for (const kind in this.ratios) {
      if (counts[kind] > 0) sum = plus(sum, times(exact(counts[kind]), this.ratios[kind]));
    }
    return times(sum, this.multiplier);
  }
}

/** The only place where an amount is rounded; Infinity beyond the safe integers. */
export function toUnits(amount: Exact): number {
  const units = rounded(amount);
  return units > BigInt(Number.MAX_SAFE_INTEGER) ? Infinity : Number(units);
}
