import { skipToken } from '@reduxjs/toolkit/query';
import { approvalPolling, useCountPendingApprovalsQuery } from '../../api/approval.api.js';

/** Number of approvals that wait for the reader's decision; fetched for administrators only. */
export function useWaitingApprovals(admin: boolean): number {
  const { data } = useCountPendingApprovalsQuery(admin ? undefined : skipToken, approvalPolling);
  return data?.for_me ?? 0;
}
