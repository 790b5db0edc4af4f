import type { AuditEntry, RefusedCalls } from '@tollgate/contracts/api/audit';
import type { Page } from '@tollgate/contracts/envelope';
import { injectEndpoints } from './base-api.js';
import type { PageRequest, Rows } from './paged.js';
import { given, rowsOfPage } from './paged.js';

export type AuditFilter = Record<'actor_id' | 'action' | 'subject' | 'start_timestamp' | 'end_timestamp', string>;
export type RefusedFilter = Record<
  'request_id' | 'reason' | 'token_id' | 'user_id' | 'start_timestamp' | 'end_timestamp',
  string
>;
/** Rows are sums without an id, so their index on the page is used. */
export type RefusedRow = RefusedCalls & { id: number };
type AuditRequest<Filter> = PageRequest & { filter: Filter };

const paramsOf = ({ page, size, filter }: AuditRequest<Record<string, string>>) => ({
  p: page,
  page_size: size,
  ...given(filter),
});

/** Queries for administrators: who changed what, and why calls were refused. */
export const auditApi = injectEndpoints({
  endpoints: (build) => ({
    listAudit: build.query<Rows<AuditEntry>, AuditRequest<AuditFilter>>({
      query: (request) => ({ url: 'api/audit', params: paramsOf(request) }),
      transformResponse: (page: Page<AuditEntry>) => rowsOfPage(page),
      extraOptions: { quiet: true },
      // Reverting an option or a channel adds an entry, too.
      providesTags: ['Option', 'Channel'],
    }),
    listRefusedCalls: build.query<Rows<RefusedRow>, AuditRequest<RefusedFilter>>({
      query: (request) => ({ url: 'api/log/refusal', params: paramsOf(request) }),
      transformResponse: (page: Page<RefusedCalls>) =>
        rowsOfPage({ ...page, items: page.items.map((row, index) => ({ ...row, id: index + 1 })) }),
      extraOptions: { quiet: true },
    }),
  }),
});

export const { useListAuditQuery, useListRefusedCallsQuery } = auditApi;
