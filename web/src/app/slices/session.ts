import type { PayloadAction } from '@reduxjs/toolkit';
import { createSlice } from '@reduxjs/toolkit';
import type { SessionUser } from '@tollgate/contracts/api/user';
import { Role } from '@tollgate/contracts/roles';
import { sessionExpired } from '../../api/events.js';
import { readStored, readStoredJson } from '../stored.js';

export const USER_KEY = 'user';
/** Id of whoever signed out last, until somebody signs in: other tabs tell by it a sign-out from a login that expired. */
export const SIGNED_OUT_KEY = 'signed-out';

export interface SessionState {
  /** The stored user is a hint until the server has confirmed it. */
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

/** Whom the tabs of this browser take for signed in. */
export const readStoredUser = (): SessionUser | null => readStoredJson(USER_KEY, isUser) ?? null;

/** Whether this person left, in whichever tab, and was not sent away. */
export const hasSignedOut = (id: number | undefined): boolean =>
  id !== undefined && readStored(SIGNED_OUT_KEY) === String(id);

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
    /** `GET /api/user/self` answered: role, group and name are the server's from now on. */
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
