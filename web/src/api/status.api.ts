import type { Release, Status } from '@tollgate/contracts/api/status';
import { injectEndpoints } from './base-api.js';

export const statusApi = injectEndpoints({
  endpoints: (build) => ({
    getStatus: build.query<Partial<Status>, void>({
      query: () => 'api/status',
      extraOptions: { quiet: true },
      providesTags: ['Status'],
    }),
    /** Called by a button only, because the server fetches the release from a third party. */
    checkUpdate: build.mutation<Release, void>({ query: () => 'api/status/update' }),
  }),
});

export const { useGetStatusQuery, useCheckUpdateMutation } = statusApi;
