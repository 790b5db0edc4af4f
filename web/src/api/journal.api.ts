import type { Page } from '@tollgate/contracts/envelope';
import type { BudgetChange, ChangeBudget, PostingReply, TokenBudget } from '@tollgate/contracts/api/journal';
import { injectEndpoints } from './base-api.js';
import type { PageRequest, Rows } from './paged.js';
import { given, rowsOfPage } from './paged.js';

export type JournalFilter = Record<
  'user_id' | 'token_id' | 'actor_id' | 'code' | 'reference' | 'start_timestamp' | 'end_timestamp',
  string
>;
export const noJournalFilter: JournalFilter = {
  user_id: '',
  token_id: '',
  actor_id: '',
  code: '',
  reference: '',
  start_timestamp: '',
  end_timestamp: '',
};
interface JournalRequest extends PageRequest {
  filter: JournalFilter;
}

/** Table rows need a numeric id; the id of a posting is a string. */
export type Posting = PostingReply & { row: number };

export const journalApi = injectEndpoints({
  endpoints: (build) => ({
    listJournal: build.query<Rows<Posting>, JournalRequest>({
      query: ({ page, size, filter }) => ({
        url: 'api/journal',
        params: { p: page, page_size: size, ...given(filter) },
      }),
      transformResponse: (page: Page<PostingReply>) => {
        const { items, total } = rowsOfPage(page);
        return { items: items.map((posting, row) => ({ ...posting, row })), total };
      },
      extraOptions: { quiet: true },
      providesTags: ['Journal'],
    }),
    listTokenBudgets: build.query<Rows<TokenBudget>, PageRequest & { userId: number }>({
      query: ({ userId, page, size }) => ({ url: `api/token/user/${userId}`, params: { p: page, page_size: size } }),
      transformResponse: (page: Page<TokenBudget>) => rowsOfPage(page),
      extraOptions: { quiet: true },
      providesTags: ['Journal', 'Token'],
    }),
    /** `key`: idempotency key, one per submission of a form, so that repeating the call changes a budget only once. */
    changeTokenBudget: build.mutation<BudgetChange, { id: number; change: ChangeBudget; key: string }>({
      query: ({ id, change, key }) => ({
        url: `api/token/${id}/budget`,
        method: 'POST',
        body: change,
        headers: { 'Idempotency-Key': key },
      }),
      extraOptions: { quiet: true },
      invalidatesTags: ['Journal', 'Token', 'Approval'],
    }),
  }),
});

export const { useListJournalQuery, useListTokenBudgetsQuery, useChangeTokenBudgetMutation } = journalApi;
