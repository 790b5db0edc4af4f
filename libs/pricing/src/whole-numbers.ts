import type { Exact } from './exact.js';

/**
 * A price in integers: `ratios` are scaled by a common power of ten, and `divisor` removes that scale and the multiplier's from the
 * product. Almost every amount then fits plain numbers, which are exact in that range and ten times as fast as big integers.
 */
export interface WholePrice<Name extends string> {
  readonly ratios: Readonly<Record<Name, number>>;
  readonly multiplier: number;
  readonly divisor: number;
}

/** `undefined` if a number is too large or negative. */
export function wholePrice<Name extends string>(
  ratios: Readonly<Record<Name, Exact>>,
  multiplier: Exact,
): WholePrice<Name> | undefined {
  const entries = Object.entries<Exact>(ratios) as [Name, Exact][];
  const scale = Math.max(...entries.map(([, ratio]) => ratio.scale));
  const whole = entries.map(([name, ratio]) => [name, wholeNumber(ratio.digits * 10n ** BigInt(scale - ratio.scale))]);
  const price = {
    ratios: Object.fromEntries(whole) as Record<Name, number>,
    multiplier: wholeNumber(multiplier.digits),
    divisor: wholeNumber(10n ** BigInt(scale + multiplier.scale)),
  };
  const numbers = [...Object.values<number>(price.ratios), price.multiplier, price.divisor];
  return numbers.every((number) => number >= 0) ? price : undefined;
}

const wholeNumber = (digits: bigint): number => (digits <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(digits) : -1);

/**
 * The sum of units times their ratios, times the multiplier, rounded to whole units, halves up. `undefined` if plain numbers could be
 * inexact; the caller then computes exactly. Counts below zero are ignored.
 */
export function wholeUnits<Name extends string>(
  units: Readonly<Record<Name, number>>,
  { ratios, multiplier, divisor }: WholePrice<Name>,
): number | undefined {
  let sum = 0;
  for (const name in ratios) {
    const count = units[name];
    if (!(count > 0)) continue;
    if (!Number.isSafeInteger(count)) return undefined;
    sum += count * ratios[name];
  }
  const product = sum * multiplier;
  if (!(sum <= Number.MAX_SAFE_INTEGER && product <= Number.MAX_SAFE_INTEGER)) return undefined;
  const rest = product % divisor;
  return (product - rest) / divisor + (rest * 2 >= divisor ? 1 : 0);
}
