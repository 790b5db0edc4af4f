import type { TopUpStatus, TopUpVerdict } from '@tollgate/contracts/api/top-up';
import type { Reading } from '../payment/payment-gateway.js';
import { isSameMoney } from './quote.js';

export type Verdict = TopUpVerdict;

/** What is known of an order when a callback names it. */
export interface KnownOrder {
  provider: string;
  merchant: string;
  status: TopUpStatus;
  money: string;
  currency: string;
}

/**
 * What a callback is worth. Only what the provider signed is compared with the order; a payment that came after the order had expired, or
 * after a notice that contradicted it, is money that has come and counts.
 */
export function judge(
  reading: Exclude<Reading, { kind: 'ignored' }>,
  provider: string,
  order: KnownOrder | undefined,
): Verdict {
  if (reading.kind === 'refused') return reading.verdict;
  if (!order) return 'unknown-order';
  const { merchant, money, currency, isPaid } = reading.notice;
  if (order.provider !== provider) return 'wrong-provider';
  if (order.merchant !== merchant) return 'wrong-merchant';
  if (!isPaid) return 'not-paid';
  if (order.currency !== currency || !isSameMoney(order.money, money)) return 'amount-mismatch';
  if (order.status === 'paid' || order.status === 'refunded') return 'repeated';
  return order.status === 'expired' ? 'late' : 'credited';
}

export const isCredit = (verdict: Verdict): boolean =>
  verdict === 'credited' || verdict === 'late' || verdict === 'owner-gone';

/** Money that came for somebody who is no longer there is kept like any other, and said so, because somebody has to send it back. */
export const ofOwner = (verdict: Verdict, isGone: boolean): Verdict =>
  isGone && isCredit(verdict) ? 'owner-gone' : verdict;

/** The provider need not tell again. */
export const isSettled = (verdict: Verdict): boolean => isCredit(verdict) || verdict === 'repeated';

/** Where a verdict leads an order. What nobody signed leads nowhere, because anybody can send it. */
export function nextStatus(status: TopUpStatus, verdict: Verdict): TopUpStatus {
  if (isCredit(verdict)) return 'paid';
  const contradicts = verdict === 'amount-mismatch' || verdict === 'wrong-merchant';
  return contradicts && (status === 'pending' || status === 'expired') ? 'refused' : status;
}
