import type { AffTransfer, UpdateSelf, UpdateUserSetting } from '@tollgate/contracts/api/user';
import { baseApi } from '../../api/base-api.js';

/** What people change about their own account; every refusal is shown where the change was made. */
export const personalApi = baseApi.injectEndpoints({
  endpoints: (build) => ({
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
    /** Replaces the former token, so it is no query: it must never be repeated for a picture of the page. */
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
    deleteSelf: build.mutation<null, void>({
      query: () => ({ url: 'api/user/self', method: 'DELETE' }),
      extraOptions: { quiet: true },
    }),
  }),
});

export const {
  useGetAffCodeQuery,
  useTransferAffMutation,
  useIssueAccessTokenMutation,
  useUpdateSelfMutation,
  useUpdateSettingMutation,
  useDeleteSelfMutation,
} = personalApi;
