import { baseApi } from '../../api/base-api.js';
import { rowsOfArray } from '../../api/paged.js';

/** Only how many there are matters to the list of first steps. */
const countOf = (url: string, sizeParam: 'size' | 'page_size') => ({ url, params: { p: 0, [sizeParam]: 1 } });

export const homeApi = baseApi.injectEndpoints({
  endpoints: (build) => ({
    getNotice: build.query<string | null, void>({ query: () => 'api/notice', extraOptions: { quiet: true } }),
    getHomeContent: build.query<string | null, void>({
      query: () => 'api/home_page_content',
      extraOptions: { quiet: true },
    }),
    hasChannels: build.query<boolean, void>({
      query: () => countOf('api/channel/', 'page_size'),
      transformResponse: (items: unknown[] | null, meta) => rowsOfArray(items, meta).items.length > 0,
      extraOptions: { quiet: true },
      providesTags: ['Channel'],
    }),
    hasTokens: build.query<boolean, void>({
      query: () => countOf('api/token/', 'size'),
      transformResponse: (items: unknown[] | null, meta) => rowsOfArray(items, meta).items.length > 0,
      extraOptions: { quiet: true },
      providesTags: ['Token'],
    }),
  }),
});

export const { useGetNoticeQuery, useGetHomeContentQuery, useHasChannelsQuery, useHasTokensQuery } = homeApi;
