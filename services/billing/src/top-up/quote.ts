import { mostAtOnce } from '@tollgate/contracts';
import { Decimal } from 'decimal.js';

/** The price of an amount and the quota it gives. `money` is exact, with two decimals. */
export interface Quote {
  quota: number;
  money: string;
}

interface QuoteTerms {
  /** Whether amounts are in USD; otherwise they are in units. */
  displayInCurrency: boolean;
  quotaPerUnit: number;
  /** Price of one USD in the currency of the payment. */
  price: number;
  /** Ratio of the user's group. */
  ratio: number;
}

// The precision is twice that of the largest amounts, so only the two explicit roundings round.
const Exact = Decimal.clone({ precision: 60, rounding: Decimal.ROUND_HALF_UP });

/** `undefined` where the amount exceeds the limit of one order. Money and quota are rounded once each, half up. */
export function quoteOf(
  amount: number,
  { displayInCurrency, quotaPerUnit, price, ratio }: QuoteTerms,
): Quote | undefined {
  const usd = displayInCurrency ? new Exact(amount) : new Exact(amount).div(quotaPerUnit);
  const quota = displayInCurrency ? usd.times(quotaPerUnit).round().toNumber() : amount;
  if (quota <= 0 || quota > mostAtOnce) return undefined;
  return { quota, money: usd.times(price).times(ratio).toFixed(2) };
}

/** The smallest amount, in the unit of amounts. */
export const leastAmount = (minTopUp: number, { displayInCurrency, quotaPerUnit }: QuoteTerms): number =>
  displayInCurrency ? minTopUp : new Exact(minTopUp).times(quotaPerUnit).ceil().toNumber();

/** The ratio of a group; 1 where it is missing or 0. */
export const topUpRatio = (ratios: Readonly<Record<string, number>>, group: string): number =>
  (Object.hasOwn(ratios, group) ? ratios[group] : 1) || 1;

/** The documented limit of quotes: a price of one cent is too cheap, too. */
export const isTooCheap = (money: string): boolean => new Exact(money).lte('0.01');

/** Whether two amounts are equal; a text that is no plain decimal equals nothing. */
export function isSameMoney(one: string, other: string): boolean {
  const plain = /^\d{1,15}(\.\d{1,6})?$/;
  return plain.test(one) && plain.test(other) && new Exact(one).equals(other);
}
