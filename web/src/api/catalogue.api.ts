import type { UserGroups } from '@tollgate/contracts/api/pricing';
import { injectEndpoints } from './base-api.js';

/** Groups and models that several pages offer for choice. */
export const catalogueApi = injectEndpoints({
  endpoints: (build) => ({
    listOwnGroups: build.query<UserGroups, void>({ query: () => 'api/user/self/groups', providesTags: ['Group'] }),
    listGroupNames: build.query<string[], void>({
      query: () => 'api/group/',
      transformResponse: (names: string[] | null) => [...(names ?? [])].sort(),
      providesTags: ['Group'],
    }),
    listUserModels: build.query<string[], void>({
      query: () => 'api/user/models',
      transformResponse: (names: string[] | null) => [...(names ?? [])].sort(),
      providesTags: ['Model'],
    }),
    /** Models that enabled channels serve. */
    listEnabledModels: build.query<string[], void>({
      query: () => 'api/channel/models_enabled',
      transformResponse: (names: string[] | null) => [...new Set(names ?? [])].sort(),
      extraOptions: { quiet: true },
      providesTags: ['Model'],
    }),
  }),
});

export const { useListOwnGroupsQuery, useListGroupNamesQuery, useListUserModelsQuery, useListEnabledModelsQuery } =
  catalogueApi;
