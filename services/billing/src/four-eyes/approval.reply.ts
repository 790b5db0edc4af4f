import type { Approval as ApprovalReply } from '@tollgate/contracts/api/approval';
import type { Approval } from '../approval/approval.entity.js';

const seconds = (time: Date | null | undefined): number => (time ? Math.floor(time.getTime() / 1000) : 0);

/** A request whose time is over has expired, whether or not somebody has written that down. */
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
  created_time: seconds(approval.createdAt),
  expire_time: seconds(approval.expiresAt),
  decider_id: approval.deciderId ?? 0,
  decided_time: seconds(approval.decidedAt),
  note: approval.note,
});
