import type { ChannelCosts, SaveCosts, SavedCosts } from '@tollgate/contracts/api/cost';
import { injectEndpoints } from './base-api.js';

export const costApi = injectEndpoints({
  endpoints: (build) => ({
    getChannelCosts: build.query<ChannelCosts, number>({
      query: (id) => ({ url: 'api/cost', params: { channel_id: id } }),
      extraOptions: { quiet: true },
      providesTags: ['Cost'],
    }),
    saveChannelCosts: build.mutation<SavedCosts, SaveCosts>({
      query: (body) => ({ url: 'api/cost', method: 'PUT', body }),
      extraOptions: { quiet: true },
      invalidatesTags: ['Cost', 'Statement'],
    }),
  }),
});

export const { useGetChannelCostsQuery, useSaveChannelCostsMutation } = costApi;
