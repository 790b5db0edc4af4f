import type { Approval as ApprovalReply } from '@tollgate/contracts/api/approval';
import { unixSeconds } from '@tollgate/chassis';
import type { Approval } from '../approval/approval.entity.js';

/** A pending request past its expiry is shown as expired, even before its row is updated. */
export const toApprovalReply = (approval: Approval, now: number): ApprovalReply => ({
  id: approval.id,
  kind: approval.kind,
  status: approval.status === 'pending' && approval.expiresAt.getTime() <= now ? 'expired' : approval.status,
  user_id: approval.userId,
  token_id: approval.tokenId,
  change: approval.change,
  subject: approval.subject,
  reason: approval.reason,
  requester_id: approval.requesterId,
  created_time: unixSeconds(approval.createdAt),
  expire_time: unixSeconds(approval.expiresAt),
  decider_id: approval.deciderId ?? 0,
  decided_time: unixSeconds(approval.decidedAt),
  note: approval.note,
});
