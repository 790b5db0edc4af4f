import type { Status } from '@tollgate/contracts/api/status';
import type { Login, SessionUser, User } from '@tollgate/contracts/api/user';
import { baseApi } from '../api/base-api.js';
import { selfConfirmed, signedOut } from './slices/session.js';
import { statusFailed, statusReceived } from './slices/status.js';

/** What the frame itself asks: the status, the person, good-bye. */
export const shellApi = baseApi.injectEndpoints({
  endpoints: (build) => ({
    getStatus: build.query<Partial<Status>, void>({
      query: () => 'api/status',
      extraOptions: { quiet: true },
      providesTags: ['Status'],
      async onQueryStarted(_, { dispatch, queryFulfilled }) {
        await queryFulfilled.then(
          ({ data }) => dispatch(statusReceived(data)),
          () => dispatch(statusFailed()),
        );
      },
    }),
    getSelf: build.query<User, void>({
      query: () => 'api/user/self',
      extraOptions: { quiet: true },
      providesTags: ['Self'],
      async onQueryStarted(_, { dispatch, queryFulfilled }) {
        await queryFulfilled.then(
          ({ data }) => dispatch(selfConfirmed(data)),
          () => undefined,
        );
      },
    }),
    login: build.mutation<SessionUser, Login & { turnstile?: string }>({
      query: ({ turnstile = '', ...body }) => ({ url: 'api/user/login', method: 'POST', params: { turnstile }, body }),
      // The form shows the refusal above its button.
      extraOptions: { quiet: true },
    }),
    logout: build.mutation<null, void>({
      query: () => 'api/user/logout',
      async onQueryStarted(_, { dispatch, queryFulfilled }) {
        await queryFulfilled.then(
          () => dispatch(signedOut()),
          () => undefined,
        );
      },
    }),
  }),
});

export const { useGetStatusQuery, useGetSelfQuery, useLoginMutation, useLogoutMutation } = shellApi;
