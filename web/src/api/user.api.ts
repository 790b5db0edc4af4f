import type { BindingName } from '@tollgate/contracts/api/oauth';
import type { SignIn } from '@tollgate/contracts/api/session';
import type { Page } from '@tollgate/contracts/envelope';
import type { CreateUser, ManageUser, ManagedUser, UpdateUser, User } from '@tollgate/contracts/api/user';
import { injectEndpoints } from './base-api.js';
import type { PageRequest, Rows } from './paged.js';
import { rowsOfPage } from './paged.js';

export type UserFilter = { keyword: string; group: string };
interface UserRequest extends PageRequest {
  filter: UserFilter;
}

/** Pages of this API count from 1. */
function listCall({ page, size, filter }: UserRequest) {
  const paging = { p: page, page_size: size };
  const searching = filter.keyword !== '' || filter.group !== '';
  return searching
    ? { url: 'api/user/search', params: { ...filter, ...paging } }
    : { url: 'api/user/', params: paging };
}

export const userApi = injectEndpoints({
  endpoints: (build) => ({
    listUsers: build.query<Rows<User>, UserRequest>({
      query: listCall,
      transformResponse: (page: Page<User>) => rowsOfPage(page),
      extraOptions: { quiet: true },
      providesTags: ['User'],
    }),
    getUser: build.query<User, number>({
      query: (id) => `api/user/${id}`,
      extraOptions: { quiet: true },
      keepUnusedDataFor: 0,
      providesTags: ['User'],
    }),
    createUser: build.mutation<null, CreateUser>({
      query: (body) => ({ url: 'api/user/', method: 'POST', body }),
      extraOptions: { quiet: true },
      invalidatesTags: ['User'],
    }),
    /** `key`: idempotency key, one per submission of a form, so that repeating the call changes a quota only once. */
    updateUser: build.mutation<null, { change: UpdateUser; key: string }>({
      query: ({ change, key }) => ({
        url: 'api/user/',
        method: 'PUT',
        body: change,
        headers: { 'Idempotency-Key': key },
      }),
      extraOptions: { quiet: true },
      invalidatesTags: ['User', 'Self', 'Journal', 'Approval', 'Statement'],
    }),
    manageUser: build.mutation<ManagedUser, ManageUser>({
      query: (body) => ({ url: 'api/user/manage', method: 'POST', body }),
      extraOptions: { quiet: true },
      invalidatesTags: ['User'],
    }),
    listUserSessions: build.query<SignIn[], number>({
      query: (id) => `api/user/${id}/session`,
      extraOptions: { quiet: true },
      keepUnusedDataFor: 0,
      providesTags: ['User'],
    }),
    /** Ends one session of the user, or all of them without `session`. */
    endUserSession: build.mutation<null, { id: number; session?: number }>({
      query: ({ id, session }) => ({
        url: `api/user/${id}/session${session === undefined ? '' : `/${session}`}`,
        method: 'DELETE',
      }),
      extraOptions: { quiet: true },
      invalidatesTags: ['User'],
    }),
    unbindUser: build.mutation<null, { id: number; binding: BindingName }>({
      query: ({ id, binding }) => ({ url: `api/user/${id}/binding/${binding}`, method: 'DELETE' }),
      extraOptions: { quiet: true },
      invalidatesTags: ['User'],
    }),
    eraseUser: build.mutation<null, { id: number; username: string }>({
      query: ({ id, username }) => ({ url: `api/user/${id}/erase`, method: 'POST', body: { username } }),
      extraOptions: { quiet: true },
      invalidatesTags: ['User'],
    }),
    removeFactors: build.mutation<null, number>({
      query: (id) => ({ url: `api/user/${id}/2fa`, method: 'DELETE' }),
      extraOptions: { quiet: true },
      invalidatesTags: ['User'],
    }),
  }),
});

export const {
  useListUsersQuery,
  useGetUserQuery,
  useCreateUserMutation,
  useUpdateUserMutation,
  useManageUserMutation,
  useListUserSessionsQuery,
  useEndUserSessionMutation,
  useUnbindUserMutation,
  useRemoveFactorsMutation,
  useEraseUserMutation,
} = userApi;
