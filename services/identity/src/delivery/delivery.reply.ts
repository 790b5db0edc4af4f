import type { Delivery as DeliveryReply } from '@tollgate/contracts/api/delivery';
import { unixSeconds } from '@tollgate/chassis';
import type { Delivery } from './delivery.entity.js';

export const toReply = (row: Delivery): DeliveryReply => ({
  id: row.id,
  user_id: row.userId ?? 0,
  kind: row.kind,
  via: row.via,
  target: row.target,
  status: row.status,
  attempts: row.attempts,
  reason: row.reason,
  created_at: unixSeconds(row.createdAt),
  next_attempt_at: row.status === 'waiting' ? unixSeconds(row.nextAttemptAt) : 0,
  finished_at: unixSeconds(row.finishedAt),
});

/** The path of a webhook is a secret at many services and known to its owner only, so administrators see the origin. */
export const toGuardedReply = (row: Delivery): DeliveryReply => ({
  ...toReply(row),
  ...(row.via === 'webhook' && { target: new URL(row.target).origin }),
});
