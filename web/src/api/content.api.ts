import { injectEndpoints } from './base-api.js';

/** Texts that the operator has written for readers. */
export const contentApi = injectEndpoints({
  endpoints: (build) => ({
    getAbout: build.query<string | null, void>({ query: () => 'api/about', extraOptions: { quiet: true } }),
    getNotice: build.query<string | null, void>({ query: () => 'api/notice', extraOptions: { quiet: true } }),
    getHomeContent: build.query<string | null, void>({
      query: () => 'api/home_page_content',
      extraOptions: { quiet: true },
    }),
  }),
});

export const { useGetAboutQuery, useGetNoticeQuery, useGetHomeContentQuery } = contentApi;
