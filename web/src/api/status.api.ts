import type { Status } from '@tollgate/contracts/api/status';
import { injectEndpoints } from './base-api.js';

export const statusApi = injectEndpoints({
  endpoints: (build) => ({
    getStatus: build.query<Partial<Status>, void>({
      query: () => 'api/status',
      extraOptions: { quiet: true },
      providesTags: ['Status'],
    }),
  }),
});

export const { useGetStatusQuery } = statusApi;
