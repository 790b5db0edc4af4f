import type { PayloadAction } from '@reduxjs/toolkit';
import { createSlice } from '@reduxjs/toolkit';
import type { SessionUser } from '@tollgate/contracts/api/user';
import { Role } from '@tollgate/contracts/roles';
import { sessionExpired } from '../../api/events.js';
import { readStored, readStoredJson } from '../stored.js';

export const USER_KEY = 'user';
/** Id of the user who signed out last, removed at the next sign-in. Other tabs use it to distinguish a sign-out from an expired login. */
export const SIGNED_OUT_KEY = 'signed-out';
/** When somebody last signed out in this browser, in Unix milliseconds; a later sign-in leaves it. */
export const SIGNED_OUT_AT_KEY = 'signed-out-at';

export interface SessionState {
  /** Read from local storage, and a guess until the server has confirmed it. */
  user: SessionUser | null;
  confirmed: boolean;
  /** The server refused the stored user: the frame goes to `/login?expired=true`. */
  expired: boolean;
}

const isUser = (value: unknown): value is SessionUser =>
  typeof value === 'object' &&
  value !== null &&
  Number.isInteger((value as SessionUser).id) &&
  (value as SessionUser).id > 0;

/** The user whom the tabs of this browser consider signed in. */
export const readStoredUser = (): SessionUser | null => readStoredJson(USER_KEY, isUser) ?? null;

/** Whether this user signed out deliberately, in any tab; `false` after an expired login. */
export const hasSignedOut = (id: number | undefined): boolean =>
  id !== undefined && readStored(SIGNED_OUT_KEY) === String(id);

/** When somebody last signed out, in any tab; `undefined` if nobody ever did. */
export const lastSignOut = (): number | undefined =>
  readStoredJson(SIGNED_OUT_AT_KEY, (value): value is number => typeof value === 'number');

const slice = createSlice({
  name: 'session',
  initialState: (): SessionState => ({
    user: readStoredUser(),
    confirmed: false,
    expired: false,
  }),
  reducers: {
    signedIn: (state, { payload }: PayloadAction<SessionUser>) => {
      state.user = payload;
      state.confirmed = true;
      state.expired = false;
    },
    /** Role, group and name from the reply of `GET /api/user/self` replace the stored ones. */
    selfConfirmed: (state, { payload }: PayloadAction<SessionUser>) => {
      if (state.user?.id !== payload.id) return;
      const { id, username, display_name, role, status, group } = payload;
      state.user = { id, username, display_name, role, status, group };
      state.confirmed = true;
    },
    signedOut: (state) => {
      state.user = null;
      state.confirmed = false;
    },
    expiryHandled: (state) => {
      state.expired = false;
    },
  },
  extraReducers: (builder) =>
    builder.addCase(sessionExpired, (state) => {
      state.user = null;
      state.confirmed = false;
      state.expired = true;
    }),
  selectors: {
    selectUser: (state) => state.user,
    selectRole: (state): number => state.user?.role ?? Role.visitor,
    selectConfirmed: (state) => state.confirmed,
    selectExpired: (state) => state.expired,
  },
});

export const { signedIn, selfConfirmed, signedOut, expiryHandled } = slice.actions;
export const { selectUser, selectRole, selectConfirmed, selectExpired } = slice.selectors;
export const sessionReducer = slice.reducer;
