import type { TopUpOrder as OrderReply, TopUpStep as StepReply } from '@tollgate/contracts/api/top-up';
import { unixSeconds } from '@tollgate/chassis';
import type { TopUpOrder, TopUpStep } from './top-up-order.entity.js';

export const toOrderReply = (order: TopUpOrder): OrderReply => ({
  id: order.id,
  user_id: order.userId,
  trade_no: order.tradeNo,
  provider: order.provider,
  payment_method: order.method,
  status: order.status,
  amount: order.amount,
  quota: order.quota,
  money: order.money,
  currency: order.currency,
  create_time: unixSeconds(order.createdAt),
  expire_time: unixSeconds(order.expiresAt),
  complete_time: unixSeconds(order.paidAt),
  refund_time: unixSeconds(order.refundedAt),
});

/** `above`: an administrator of a higher rank than the order's owner. */
export type StepReader = 'owner' | 'administrator' | 'above';

export const toStepReply = (step: TopUpStep, reader: StepReader): StepReply => ({
  id: step.id,
  time: unixSeconds(step.happenedAt),
  kind: step.kind,
  verdict: step.verdict,
  from: step.fromStatus,
  to: step.toStatus,
  reason: step.reason,
  ...(reader !== 'owner' && { actor_id: step.actorId }),
  ...(reader === 'above' && { raw: step.raw ?? '' }),
});
