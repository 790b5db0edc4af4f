import type { BindingName } from '@tollgate/contracts/api/oauth';
import type { Proof } from '@tollgate/contracts/api/second-factor';
import type { SignIn } from '@tollgate/contracts/api/session';
import type { AffTransfer, UpdateSelf, UpdateUserSetting, User, UserSetting } from '@tollgate/contracts/api/user';
import { injectEndpoints } from './base-api.js';
import { SESSION_CHECK } from './envelope-query.js';

/** Milliseconds after which a session that could not be checked counts as valid, so that what was refused is shown. */
const CHECK_MS = 10_000;

/** The user's own account. All calls are quiet, because a refusal is shown where the change was made. */
export const selfApi = injectEndpoints({
  endpoints: (build) => ({
    getSelf: build.query<User, void>({
      query: () => 'api/user/self',
      extraOptions: { quiet: true },
      providesTags: ['Self'],
    }),
    /** Whether the session is valid. It provides no tag, so that nothing asks it again. */
    [SESSION_CHECK]: build.query<User, void>({
      query: () => ({ url: 'api/user/self', timeout: CHECK_MS }),
      extraOptions: { quiet: true },
    }),
    getAffCode: build.query<string, void>({
      query: () => 'api/user/aff',
      extraOptions: { quiet: true },
      providesTags: ['Self'],
    }),
    transferAff: build.mutation<null, AffTransfer>({
      query: (body) => ({ url: 'api/user/aff_transfer', method: 'POST', body }),
      extraOptions: { quiet: true },
      invalidatesTags: ['Self'],
    }),
    /** A mutation, because each call replaces the previous token: it must not be repeated when a page is rendered. */
    issueAccessToken: build.mutation<string, void>({
      query: () => 'api/user/token',
      extraOptions: { quiet: true },
    }),
    updateSelf: build.mutation<null, UpdateSelf>({
      query: (body) => ({ url: 'api/user/self', method: 'PUT', body }),
      extraOptions: { quiet: true },
      invalidatesTags: ['Self'],
    }),
    updateSetting: build.mutation<null, UpdateUserSetting>({
      query: (body) => ({ url: 'api/user/setting', method: 'PUT', body }),
      extraOptions: { quiet: true },
      invalidatesTags: ['Self'],
    }),
    bindEmail: build.mutation<null, { email: string; code: string }>({
      query: (params) => ({ url: 'api/oauth/email/bind', params }),
      extraOptions: { quiet: true },
      invalidatesTags: ['Self'],
    }),
    bindWechat: build.mutation<null, string>({
      query: (code) => ({ url: 'api/oauth/wechat/bind', params: { code } }),
      extraOptions: { quiet: true },
      invalidatesTags: ['Self'],
    }),
    unbind: build.mutation<null, BindingName>({
      query: (name) => ({ url: `api/user/self/binding/${name}`, method: 'DELETE' }),
      extraOptions: { quiet: true },
      invalidatesTags: ['Self'],
    }),
    listSessions: build.query<SignIn[], void>({
      query: () => 'api/user/self/session',
      extraOptions: { quiet: true },
      providesTags: ['Self'],
    }),
    /** Ends one session, or all but the current one without an id. */
    endSession: build.mutation<null, number | undefined>({
      query: (id) => ({ url: `api/user/self/session${id === undefined ? '' : `/${id}`}`, method: 'DELETE' }),
      invalidatesTags: ['Self'],
    }),
    eraseSelf: build.mutation<null, Proof & { username: string }>({
      query: (body) => ({ url: 'api/user/self/erase', method: 'POST', body }),
      extraOptions: { quiet: true },
    }),
    deleteSelf: build.mutation<null, void>({
      query: () => ({ url: 'api/user/self', method: 'DELETE' }),
      extraOptions: { quiet: true },
    }),
  }),
});

/** Parses the setting of a user; a text that is no JSON object gives an empty setting. */
export function settingOf(text: string): UserSetting {
  try {
    const value: unknown = text === '' ? {} : JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as UserSetting) : {};
  } catch {
    return {};
  }
}

export const {
  useGetSelfQuery,
  useGetAffCodeQuery,
  useTransferAffMutation,
  useIssueAccessTokenMutation,
  useUpdateSelfMutation,
  useUpdateSettingMutation,
  useBindEmailMutation,
  useBindWechatMutation,
  useUnbindMutation,
  useListSessionsQuery,
  useEndSessionMutation,
  useDeleteSelfMutation,
  useEraseSelfMutation,
} = selfApi;
