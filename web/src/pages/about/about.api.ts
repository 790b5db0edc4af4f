import { baseApi } from '../../api/base-api.js';

export const aboutApi = baseApi.injectEndpoints({
  endpoints: (build) => ({
    getAbout: build.query<string | null, void>({ query: () => 'api/about', extraOptions: { quiet: true } }),
  }),
});

export const { useGetAboutQuery } = aboutApi;
