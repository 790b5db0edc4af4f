import type { PricingReply } from '@tollgate/contracts/api/pricing';
import { baseApi } from '../../api/base-api.js';

export type PriceList = Pick<PricingReply, 'data' | 'group_ratio' | 'usable_group'>;

/** The two maps stand beside `data`, not inside it. */
export const pricingApi = baseApi.injectEndpoints({
  endpoints: (build) => ({
    listPricing: build.query<PriceList, void>({
      query: () => 'api/pricing',
      transformResponse: (_, meta) => {
        const { data, group_ratio, usable_group } = meta?.body as PricingReply;
        return { data: data ?? [], group_ratio: group_ratio ?? {}, usable_group: usable_group ?? {} };
      },
      extraOptions: { quiet: true },
      providesTags: ['Pricing'],
    }),
  }),
});

export const { useListPricingQuery } = pricingApi;
