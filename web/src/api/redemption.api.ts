import type { Page } from '@tollgate/contracts/envelope';
import type {
  CreateRedemption,
  Redemption,
  RedemptionSum,
  UpdateRedemption,
  UpdateRedemptionStatus,
} from '@tollgate/contracts/api/redemption';
import { injectEndpoints } from './base-api.js';
import type { PageRequest, Rows } from './paged.js';
import { rowsOfPage } from './paged.js';

export type RedemptionFilter = { keyword: string; status: string };
interface RedemptionRequest extends PageRequest {
  filter: RedemptionFilter;
}

/** Pages of this API count from 1. */
function listCall({ page, size, filter: { keyword, status } }: RedemptionRequest) {
  const params = { p: page, page_size: size, ...(status && { status }) };
  return keyword === ''
    ? { url: 'api/redemption/', params }
    : { url: 'api/redemption/search', params: { ...params, keyword } };
}

export const redemptionApi = injectEndpoints({
  endpoints: (build) => ({
    listRedemptions: build.query<Rows<Redemption>, RedemptionRequest>({
      query: listCall,
      transformResponse: (page: Page<Redemption>) => rowsOfPage(page),
      extraOptions: { quiet: true },
      providesTags: ['Redemption'],
    }),
    sumRedemptions: build.query<RedemptionSum[], void>({
      query: () => 'api/redemption/sums',
      extraOptions: { quiet: true },
      providesTags: ['Redemption'],
    }),
    getRedemption: build.query<Redemption, number>({
      query: (id) => `api/redemption/${id}`,
      extraOptions: { quiet: true },
      keepUnusedDataFor: 0,
      providesTags: ['Redemption'],
    }),
    createRedemptions: build.mutation<string[], CreateRedemption>({
      query: (body) => ({ url: 'api/redemption/', method: 'POST', body }),
      extraOptions: { quiet: true },
      invalidatesTags: ['Redemption'],
    }),
    updateRedemption: build.mutation<Redemption, UpdateRedemption>({
      query: (body) => ({ url: 'api/redemption/', method: 'PUT', body }),
      extraOptions: { quiet: true },
      invalidatesTags: ['Redemption'],
    }),
    setRedemptionStatus: build.mutation<Redemption, UpdateRedemptionStatus>({
      query: (body) => ({ url: 'api/redemption/', method: 'PUT', params: { status_only: true }, body }),
      invalidatesTags: ['Redemption'],
    }),
    deleteRedemption: build.mutation<null, number>({
      query: (id) => ({ url: `api/redemption/${id}/`, method: 'DELETE' }),
      extraOptions: { quiet: true },
      invalidatesTags: ['Redemption'],
    }),
  }),
});

export const {
  useListRedemptionsQuery,
  useSumRedemptionsQuery,
  useGetRedemptionQuery,
  useCreateRedemptionsMutation,
  useUpdateRedemptionMutation,
  useSetRedemptionStatusMutation,
  useDeleteRedemptionMutation,
} = redemptionApi;
