import type { OauthProvider } from '@tollgate/contracts/api/oauth';
import type { ResetPassword } from '@tollgate/contracts/api/verification';
import type { SecondStep } from '@tollgate/contracts/api/second-factor';
import type { Login, Register, SessionUser } from '@tollgate/contracts/api/user';
import { injectEndpoints } from './base-api.js';

/** The signed-in user, or the request for a second factor. */
export type SignedIn = SessionUser | SecondStep;

/** Sign-in, sign-out and registration. */
export const sessionApi = injectEndpoints({
  endpoints: (build) => ({
    login: build.mutation<SignedIn, Login & { turnstile?: string }>({
      query: ({ turnstile = '', ...body }) => ({ url: 'api/user/login', method: 'POST', params: { turnstile }, body }),
      // The form shows the refusal above its button.
      extraOptions: { quiet: true },
    }),
    logout: build.mutation<null, void>({ query: () => 'api/user/logout' }),
    /** Begins a sign-in and returns the provider's address. A mutation, because each attempt has its own state. */
    authorize: build.mutation<string, { provider: OauthProvider; aff: string; origin: string }>({
      query: (params) => ({ url: 'api/oauth/authorize', params }),
    }),
    /** `null`: the third-party account was bound to the signed-in user. */
    finishOauth: build.mutation<SignedIn | null, { provider: string; params: Record<string, string> }>({
      query: ({ provider, params }) => ({ url: `api/oauth/${encodeURIComponent(provider)}`, params }),
      extraOptions: { quiet: true },
      invalidatesTags: ['Self'],
    }),
    loginByTelegram: build.mutation<SignedIn, Record<string, string>>({
      query: (params) => ({ url: 'api/oauth/telegram/login', params }),
    }),
    loginByWechat: build.mutation<SignedIn, string>({
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
    sendCode: build.mutation<null, { email: string; turnstile: string }>({
      query: (params) => ({ url: 'api/verification', params }),
      extraOptions: { quiet: true },
    }),
    requestReset: build.mutation<null, { email: string; turnstile: string }>({
      query: (params) => ({ url: 'api/reset_password', params }),
      extraOptions: { quiet: true },
    }),
    confirmReset: build.mutation<string, ResetPassword>({
      query: (body) => ({ url: 'api/user/reset', method: 'POST', body }),
      extraOptions: { quiet: true },
    }),
  }),
});

export const {
  useLoginMutation,
  useLogoutMutation,
  useAuthorizeMutation,
  useFinishOauthMutation,
  useLoginByTelegramMutation,
  useLoginByWechatMutation,
  useRegisterMutation,
  useSendCodeMutation,
  useRequestResetMutation,
  useConfirmResetMutation,
} = sessionApi;
