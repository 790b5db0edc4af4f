import type { Release, Status } from '@tollgate/contracts/api/status';
import { injectEndpoints } from './base-api.js';

export const statusApi = injectEndpoints({
  endpoints: (build) => ({
    getStatus: build.query<Partial<Status>, void>({
      query: () => 'api/status',
      extraOptions: { quiet: true },
      providesTags: ['Status'],
    }),
    /** Asked for by a button only: the server calls somebody else's. */
    checkUpdate: build.mutation<Release, void>({ query: () => 'api/status/update' }),
  }),
});

export const { useGetStatusQuery, useCheckUpdateMutation } = statusApi;
