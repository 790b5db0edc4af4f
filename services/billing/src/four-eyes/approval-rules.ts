import type { ApprovalStatus } from '@tollgate/contracts/api/approval';
import { AppError } from '@tollgate/chassis';

interface Decidable {
  status: ApprovalStatus;
  requesterId: number;
  userId: number;
  expiresAt: Date;
}

/** Throws the reason why this person may not decide this request now. The requester may only withdraw it. */
export function checkDecision(request: Decidable, deciderId: number, now: number): void {
  checkOpen(request, now);
  if (request.requesterId === deciderId)
    throw new AppError('forbidden', 'approval-own', '不能审批自己提交的申请，请由另一位管理员处理');
  requireOthers([request.userId], deciderId);
}

/** Throws when the decision would concern the decider's own wallet. */
export function requireOthers(userIds: readonly number[], deciderId: number): void {
  if (userIds.includes(deciderId))
    throw new AppError('forbidden', 'approval-beneficiary', '不能审批涉及自己账户的申请');
}

/** Throws the reason why this person may not withdraw the request now. */
export function checkWithdrawal(request: Decidable, callerId: number, now: number): void {
  if (request.requesterId !== callerId) throw new AppError('forbidden', 'approval-not-own', '只能撤回自己提交的申请');
  checkOpen(request, now);
}

function checkOpen({ status, expiresAt }: Decidable, now: number): void {
  if (status === 'expired' || (status === 'pending' && expiresAt.getTime() <= now))
    throw new AppError('conflict', 'approval-expired', '该审批申请已过期，请重新提交');
  if (status !== 'pending')
    throw new AppError('conflict', 'approval-decided', '该审批申请已处理', { params: { status } });
}
