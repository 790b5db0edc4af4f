import type { Page } from '@tollgate/contracts/envelope';
import type { Refund, TopUpDetail, TopUpOrder, TopUpPay, TopUpPayReply } from '@tollgate/contracts/api/top-up';
import type { ApiError } from './api-error.js';
import type { EnvelopeMeta } from './envelope-query.js';
import { injectEndpoints } from './base-api.js';
import type { PageRequest, Rows } from './paged.js';
import { given, rowsOfPage } from './paged.js';

export type TopUpFilter = { keyword: string; status: string; provider: string; user_id: string };
interface TopUpRequest extends PageRequest {
  filter: TopUpFilter;
  /** Orders of all users, for administrators. */
  all: boolean;
}
interface OrderRef {
  id: number;
  all: boolean;
}

const base = (all: boolean): string => (all ? 'api/user/topup' : 'api/user/topup/self');

/** The two payment calls report a failure as `error` in `message` with the reason in `data`. */
function reasonOf(error: ApiError, meta: EnvelopeMeta | undefined): ApiError {
  const reason = (meta?.body as { data?: unknown } | undefined)?.data;
  return typeof reason === 'string' && error.message === 'error' ? { ...error, message: reason } : error;
}

export const topUpApi = injectEndpoints({
  endpoints: (build) => ({
    redeem: build.mutation<number, string>({
      query: (key) => ({ url: 'api/user/topup', method: 'POST', body: { key } }),
      extraOptions: { quiet: true },
      invalidatesTags: ['Self', 'Journal', 'Statement'],
    }),
    /** The price of an amount. A refusal is shown at the field. */
    quoteTopUp: build.query<string, number>({
      query: (amount) => ({ url: 'api/user/amount', method: 'POST', body: { amount, top_up_code: '' } }),
      transformErrorResponse: reasonOf,
      extraOptions: { quiet: true },
      keepUnusedDataFor: 5,
      // The price of a unit is a public setting.
      providesTags: ['Status'],
    }),
    payTopUp: build.mutation<TopUpPayReply, TopUpPay>({
      query: (body) => ({ url: 'api/user/pay', method: 'POST', body: { ...body, top_up_code: '' } }),
      transformResponse: (_, meta) => meta?.body as TopUpPayReply,
      transformErrorResponse: reasonOf,
      extraOptions: { quiet: true },
      invalidatesTags: ['TopUp'],
    }),
    listTopUps: build.query<Rows<TopUpOrder>, TopUpRequest>({
      query: ({ page, size, filter, all }) => ({
        url: base(all),
        params: { p: page, page_size: size, ...given(filter) },
      }),
      transformResponse: (page: Page<TopUpOrder>) => rowsOfPage(page),
      extraOptions: { quiet: true },
      // A changed balance may mean that a payment has arrived.
      providesTags: ['TopUp', 'Self'],
    }),
    getTopUp: build.query<TopUpDetail, OrderRef>({
      query: ({ id, all }) => `${base(all)}/${id}`,
      extraOptions: { quiet: true },
      providesTags: ['TopUp', 'Self'],
    }),
    refundTopUp: build.mutation<null, Refund & { id: number }>({
      query: ({ id, ...body }) => ({ url: `api/user/topup/${id}/refund`, method: 'POST', body }),
      extraOptions: { quiet: true },
      invalidatesTags: ['TopUp', 'Self', 'User', 'Journal', 'Approval', 'Statement'],
    }),
  }),
});

export const {
  useRedeemMutation,
  useQuoteTopUpQuery,
  useLazyQuoteTopUpQuery,
  usePayTopUpMutation,
  useListTopUpsQuery,
  useGetTopUpQuery,
  useRefundTopUpMutation,
} = topUpApi;
