import { skipToken } from '@reduxjs/toolkit/query';
import { useCountPendingApprovalsQuery } from '../../api/approval.api.js';

const POLL_MS = 60_000;

/** Number of approvals that wait for the reader's decision; fetched for administrators only. */
export function useWaitingApprovals(admin: boolean): number {
  const { data } = useCountPendingApprovalsQuery(admin ? undefined : skipToken, {
    pollingInterval: POLL_MS,
    skipPollingIfUnfocused: true,
  });
  return data?.for_me ?? 0;
}
