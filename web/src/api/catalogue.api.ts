import type { UserGroups } from '@tollgate/contracts/api/pricing';
import { baseApi } from './base-api.js';

/** What several pages choose from: groups and models. */
export const catalogueApi = baseApi.injectEndpoints({
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
  }),
});

export const { useListOwnGroupsQuery, useListGroupNamesQuery, useListUserModelsQuery } = catalogueApi;
