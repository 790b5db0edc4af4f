import { type Exact, exact, plus, rounded, times } from './exact.js';
import { type WholePrice, wholePrice, wholeUnits } from './whole-numbers.js';

/**
 * What tokens of each kind cost: a ratio for each, times one multiplier. Plain numbers tell where they are exact, else exact decimals do; both
 * come from the same ratios, so that neither can know a kind that the other does not.
 */
export class KindPrices<Kind extends string> {
  private readonly whole: WholePrice<Kind> | undefined;

  constructor(
    private readonly ratios: Readonly<Record<Kind, Exact>>,
    private readonly multiplier: Exact,
  ) {
    this.whole = wholePrice(ratios, multiplier);
  }

  /** Whole units, halves up; Infinity beyond the safe integers. A count that is not above zero is none. */
  unitsOf(counts: Readonly<Record<Kind, number>>): number {
    return (this.whole && wholeUnits(counts, this.whole)) ?? toUnits(this.exactly(counts));
  }

  /** The same before it is rounded. */
  exactly(counts: Readonly<Record<Kind, number>>): Exact {
    let sum = exact(0);
    for (const kind in this.ratios) {
      if (counts[kind] > 0) sum = plus(sum, times(exact(counts[kind]), this.ratios[kind]));
    }
    return times(sum, this.multiplier);
  }
}

/** The only place where an amount is rounded, once; Infinity beyond the safe integers. */
export function toUnits(amount: Exact): number {
  const units = rounded(amount);
  return units > BigInt(Number.MAX_SAFE_INTEGER) ? Infinity : Number(units);
}
