import type { Login, Register, SessionUser } from '@tollgate/contracts/api/user';
import { injectEndpoints } from './base-api.js';

/** How people come in and leave. */
export const sessionApi = injectEndpoints({
  endpoints: (build) => ({
    login: build.mutation<SessionUser, Login & { turnstile?: string }>({
      query: ({ turnstile = '', ...body }) => ({ url: 'api/user/login', method: 'POST', params: { turnstile }, body }),
      // The form shows the refusal above its button.
      extraOptions: { quiet: true },
    }),
    logout: build.mutation<null, void>({ query: () => 'api/user/logout' }),
    getOauthState: build.query<string, { aff?: string }>({
      query: ({ aff }) => ({ url: 'api/oauth/state', params: { aff } }),
      keepUnusedDataFor: 0,
    }),
    loginByWechat: build.mutation<SessionUser, string>({
      query: (code) => ({ url: 'api/oauth/wechat', params: { code } }),
      extraOptions: { quiet: true },
    }),
    register: build.mutation<null, Register & { turnstile?: string }>({
      query: ({ turnstile = '', ...body }) => ({
        url: 'api/user/register',
        method: 'POST',
        params: { turnstile },
        body,
      }),
      extraOptions: { quiet: true },
    }),
    sendCode: build.mutation<null, string>({
      query: (email) => ({ url: 'api/verification', params: { email, turnstile: '' } }),
    }),
  }),
});

export const {
  useLoginMutation,
  useLogoutMutation,
  useLazyGetOauthStateQuery,
  useLoginByWechatMutation,
  useRegisterMutation,
  useSendCodeMutation,
} = sessionApi;
