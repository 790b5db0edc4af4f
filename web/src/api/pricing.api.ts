import type { PricingReply } from '@tollgate/contracts/api/pricing';
import { injectEndpoints } from './base-api.js';

export type PriceList = Pick<PricingReply, 'data' | 'group_ratio'>;

export const pricingApi = injectEndpoints({
  endpoints: (build) => ({
    /** Two maps are beside `data` in the reply, not inside it. */
    listPricing: build.query<PriceList, void>({
      query: () => 'api/pricing',
      transformResponse: (_, meta) => {
        const { data, group_ratio } = meta?.body as PricingReply;
        return { data: data ?? [], group_ratio: group_ratio ?? {} };
      },
      extraOptions: { quiet: true },
      providesTags: ['Pricing', 'Model'],
    }),
  }),
});

export const { useListPricingQuery } = pricingApi;

/** Group → the models it may call. */
export function modelsByGroup({ data }: PriceList): Record<string, string[]> {
  // Without a prototype, because a group may have the name of a member that every object has.
  const models = Object.create(null) as Record<string, string[]>;
  for (const { model_name: name, enable_groups: groups } of data) {
    for (const group of groups) (models[group] ??= []).push(name);
  }
  return models;
}
