import { mostAtOnce } from '@tollgate/contracts';
import { Decimal } from 'decimal.js';

/** What an amount costs and gives. `money` is exact, with two decimals. */
export interface Quote {
  quota: number;
  money: string;
}

export interface QuoteTerms {
  /** Whether amounts are USD; else they are units. */
  displayInCurrency: boolean;
  quotaPerUnit: number;
  /** Of one USD, in the currency that is paid. */
  price: number;
  /** Of the user's group. */
  ratio: number;
}

// Twice the digits of the largest amounts, so that only the two named roundings round.
const Exact = Decimal.clone({ precision: 60, rounding: Decimal.ROUND_HALF_UP });

/** Undefined where the amount is more than one order may bring. Money and quota are rounded once each, halves up. */
export function quoteOf(
  amount: number,
  { displayInCurrency, quotaPerUnit, price, ratio }: QuoteTerms,
): Quote | undefined {
  const usd = displayInCurrency ? new Exact(amount) : new Exact(amount).div(quotaPerUnit);
  const quota = displayInCurrency ? usd.times(quotaPerUnit).round().toNumber() : amount;
  if (quota <= 0 || quota > mostAtOnce) return undefined;
  return { quota, money: usd.times(price).times(ratio).toFixed(2) };
}

/** The smallest amount, in the unit amounts are in. */
export const leastAmount = (minTopUp: number, { displayInCurrency, quotaPerUnit }: QuoteTerms): number =>
  displayInCurrency ? minTopUp : new Exact(minTopUp).times(quotaPerUnit).ceil().toNumber();

/** A group without a ratio, or with 0, pays the plain price. */
export const topUpRatio = (ratios: Readonly<Record<string, number>>, group: string): number =>
  (Object.hasOwn(ratios, group) ? ratios[group] : 1) || 1;

/** A cent is not offered, as documented; somebody who asks to pay exactly that may. Below it there is nothing to collect. */
export const isTooCheap = (money: string, to: 'quote' | 'pay'): boolean =>
  to === 'quote' ? new Exact(money).lte('0.01') : new Exact(money).lt('0.01');

/** Whether two amounts are the same; what is no plain decimal equals nothing. */
export function isSameMoney(one: string, other: string): boolean {
  const plain = /^\d{1,15}(\.\d{1,6})?$/;
  return plain.test(one) && plain.test(other) && new Exact(one).equals(other);
}
