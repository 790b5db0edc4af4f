import type { TopUpOrder as OrderReply, TopUpStep as StepReply } from '@tollgate/contracts/api/top-up';
import type { TopUpOrder, TopUpStep } from './top-up-order.entity.js';

const seconds = (time: Date | null | undefined): number => (time ? Math.floor(time.getTime() / 1000) : 0);

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
  create_time: seconds(order.createdAt),
  expire_time: seconds(order.expiresAt),
  complete_time: seconds(order.paidAt),
  refund_time: seconds(order.refundedAt),
});

/** `above`: an administrator who ranks above the owner of the order. */
export type StepReader = 'owner' | 'administrator' | 'above';

export const toStepReply = (step: TopUpStep, reader: StepReader): StepReply => ({
  id: step.id,
  time: seconds(step.happenedAt),
  kind: step.kind,
  verdict: step.verdict,
  from: step.fromStatus,
  to: step.toStatus,
  reason: step.reason,
  ...(reader !== 'owner' && { actor_id: step.actorId }),
  ...(reader === 'above' && { raw: step.raw ?? '' }),
});
