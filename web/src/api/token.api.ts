import type { CreateToken, Token, UpdateToken, UpdateTokenStatus } from '@tollgate/contracts/api/token';
import { injectEndpoints } from './base-api.js';
import type { PageRequest, Rows } from './paged.js';
import { rowsOfArray } from './paged.js';

export type TokenFilter = { keyword: string; token: string };
interface TokenRequest extends PageRequest {
  filter: TokenFilter;
}

/** Pages of this API count from 0. */
function listCall({ page, size, filter }: TokenRequest) {
  const paging = { p: page - 1, size };
  const searching = filter.keyword !== '' || filter.token !== '';
  return searching
    ? { url: 'api/token/search', params: { ...filter, ...paging } }
    : { url: 'api/token/', params: paging };
}

export const tokenApi = injectEndpoints({
  endpoints: (build) => ({
    listTokens: build.query<Rows<Token>, TokenRequest>({
      query: listCall,
      transformResponse: (items: Token[] | null, meta) => rowsOfArray(items, meta),
      extraOptions: { quiet: true },
      providesTags: ['Token'],
    }),
    /** Only whether the user has a token. */
    hasTokens: build.query<boolean, void>({
      query: () => ({ url: 'api/token/', params: { p: 0, size: 1 } }),
      transformResponse: (items: unknown[] | null) => (items ?? []).length > 0,
      extraOptions: { quiet: true },
      providesTags: ['Token'],
    }),
    /** The token's current state, for the drawer; not cached. */
    getToken: build.query<Token, number>({
      query: (id) => `api/token/${id}`,
      keepUnusedDataFor: 0,
      providesTags: ['Token'],
    }),
    /** With `oneOfMany` the caller fetches the list once after all calls. */
    createToken: build.mutation<null, { token: CreateToken; oneOfMany?: boolean }>({
      query: ({ token }) => ({ url: 'api/token/', method: 'POST', body: token }),
      extraOptions: { quiet: true },
      invalidatesTags: (_, __, { oneOfMany = false }) => (oneOfMany ? [] : ['Token']),
    }),
    updateToken: build.mutation<Token, UpdateToken>({
      query: (body) => ({ url: 'api/token/', method: 'PUT', body }),
      extraOptions: { quiet: true },
      invalidatesTags: ['Token'],
    }),
    setTokenStatus: build.mutation<Token, UpdateTokenStatus>({
      query: (body) => ({ url: 'api/token/', method: 'PUT', params: { status_only: true }, body }),
      invalidatesTags: ['Token'],
    }),
    deleteToken: build.mutation<null, number>({
      query: (id) => ({ url: `api/token/${id}/`, method: 'DELETE' }),
      extraOptions: { quiet: true },
      invalidatesTags: ['Token'],
    }),
  }),
});

export const {
  useListTokensQuery,
  useHasTokensQuery,
  useGetTokenQuery,
  useCreateTokenMutation,
  useUpdateTokenMutation,
  useSetTokenStatusMutation,
  useDeleteTokenMutation,
} = tokenApi;
