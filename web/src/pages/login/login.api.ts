import type { SessionUser } from '@tollgate/contracts/api/user';
import { baseApi } from '../../api/base-api.js';

export const loginApi = baseApi.injectEndpoints({
  endpoints: (build) => ({
    getOauthState: build.query<string, { aff?: string }>({
      query: ({ aff }) => ({ url: 'api/oauth/state', params: { aff } }),
      keepUnusedDataFor: 0,
    }),
    loginByWechat: build.mutation<SessionUser, string>({
      query: (code) => ({ url: 'api/oauth/wechat', params: { code } }),
      extraOptions: { quiet: true },
    }),
  }),
});

export const { useLazyGetOauthStateQuery, useLoginByWechatMutation } = loginApi;
