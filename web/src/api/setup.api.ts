import type { Setup, SetupStatus } from '@tollgate/contracts/api/setup';
import { injectEndpoints } from './base-api.js';

export const setupApi = injectEndpoints({
  endpoints: (build) => ({
    getSetup: build.query<SetupStatus, void>({ query: () => 'api/setup', extraOptions: { quiet: true } }),
    postSetup: build.mutation<null, Setup>({
      query: (body) => ({ url: 'api/setup', method: 'POST', body }),
      extraOptions: { quiet: true },
    }),
  }),
});

export const { useGetSetupQuery, usePostSetupMutation } = setupApi;
