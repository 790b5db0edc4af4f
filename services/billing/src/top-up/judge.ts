import type { TopUpStatus, TopUpVerdict } from '@tollgate/contracts/api/top-up';
import type { Reading } from '../payment/payment-gateway.js';
import { isSameMoney } from './quote.js';

export type Verdict = TopUpVerdict;

/** The stored data of an order that a callback names. */
interface KnownOrder {
  provider: string;
  merchant: string;
  status: TopUpStatus;
  money: string;
  currency: string;
}

/**
 * The verdict on a callback. Only data that the provider signed is compared with the order. A payment that arrives
 * after the order expired, or after a notice that contradicted it, is real money and is credited.
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

/** Of callbacks that the provider did not sign, so that anybody may have sent them. */
export const UNSIGNED_VERDICTS: readonly Verdict[] = ['bad-signature', 'not-configured', 'unreadable'];

export const isSigned = (verdict: Verdict): boolean => !UNSIGNED_VERDICTS.includes(verdict);

export const isCredit = (verdict: Verdict): boolean =>
  verdict === 'credited' || verdict === 'late' || verdict === 'owner-gone';

/**
 * Money that arrives for a deleted user is credited as usual, but with a verdict of its own, because an administrator
 * has to send it back.
 */
export const ofOwner = (verdict: Verdict, isGone: boolean): Verdict =>
  isGone && isCredit(verdict) ? 'owner-gone' : verdict;

/** Whether the provider need not repeat the callback. */
export const isAccepted = (verdict: Verdict): boolean => isCredit(verdict) || verdict === 'repeated';

/** The status to which a verdict leads an order. Unsigned callbacks change nothing, because anybody can send them. */
export function nextStatus(status: TopUpStatus, verdict: Verdict): TopUpStatus {
  if (isCredit(verdict)) return 'paid';
  const contradicts = verdict === 'amount-mismatch' || verdict === 'wrong-merchant';
  return contradicts && (status === 'pending' || status === 'expired') ? 'refused' : status;
}
