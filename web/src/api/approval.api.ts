import type { Page } from '@tollgate/contracts/envelope';
import type { Approval, CorrectionRun, PendingApprovals } from '@tollgate/contracts/api/approval';
import { injectEndpoints } from './base-api.js';
import type { PageRequest, Rows } from './paged.js';
import { rowsOfPage } from './paged.js';

export type ApprovalFilter = Record<'status' | 'kind', string>;
interface ApprovalRequest extends PageRequest {
  filter: ApprovalFilter;
}
/** How often requests and decisions of others are looked for: the number in the sidebar, and the list while it is open. */
export const approvalPolling = { pollingInterval: 60_000, skipPollingIfUnfocused: true };
export interface Decision {
  id: number;
  verdict: 'approve' | 'refuse' | 'withdraw';
  note: string;
}

export const approvalApi = injectEndpoints({
  endpoints: (build) => ({
    listApprovals: build.query<Rows<Approval>, ApprovalRequest>({
      query: ({ page, size, filter }) => ({ url: 'api/approval', params: { p: page, page_size: size, ...filter } }),
      transformResponse: (page: Page<Approval>) => rowsOfPage(page),
      extraOptions: { quiet: true },
      providesTags: ['Approval'],
    }),
    countPendingApprovals: build.query<PendingApprovals, void>({
      query: () => 'api/approval/pending',
      extraOptions: { quiet: true },
      providesTags: ['Approval'],
    }),
    getCorrection: build.query<CorrectionRun, number>({
      query: (id) => `api/approval/${id}/correction`,
      extraOptions: { quiet: true },
    }),
    decideApproval: build.mutation<Approval, Decision>({
      query: ({ id, verdict, note }) => ({ url: `api/approval/${id}/${verdict}`, method: 'POST', body: { note } }),
      extraOptions: { quiet: true },
      invalidatesTags: ['Approval', 'Journal', 'User', 'TopUp', 'Token', 'Self', 'Statement'],
    }),
  }),
});

export const {
  useListApprovalsQuery,
  useCountPendingApprovalsQuery,
  useGetCorrectionQuery,
  useDecideApprovalMutation,
} = approvalApi;
