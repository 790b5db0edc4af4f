import type { ThunkDispatch, UnknownAction } from '@reduxjs/toolkit';
import { createListenerMiddleware, isAnyOf, isFulfilled } from '@reduxjs/toolkit';
import { baseApi } from '../api/base-api.js';
import { selfApi } from '../api/self.api.js';
import { sessionApi } from '../api/session.api.js';
import { statusApi } from '../api/status.api.js';
import { apiFailed, personRefused, rightsRefused, sessionExpired, sessionRefused } from '../api/events.js';
import {
  DENSITY_KEY,
  PAGE_SIZE_KEY,
  SIDEBAR_KEY,
  densityChosen,
  pageSizeChosen,
  readDensities,
  readPageSizes,
  sidebarToggled,
} from './slices/preferences.js';
import type { SessionState } from './slices/session.js';
import {
  SIGNED_OUT_AT_KEY,
  SIGNED_OUT_KEY,
  USER_KEY,
  hasSignedOut,
  readStoredUser,
  selfConfirmed,
  signedIn,
  signedOut,
} from './slices/session.js';
import { forgetDrafts } from './drafts.js';
import { forgetRecent } from './recent.js';
import type { RefusedQueries } from './repair-queries.js';
import { repairQueries } from './repair-queries.js';
import { sessionCheck } from './session-check.js';
import { statusFailed, statusReceived, storeStatus } from './slices/status.js';
import { toastShown } from './slices/toasts.js';
import { writeStored } from './stored.js';

interface ListenerState {
  session: SessionState;
  api: RefusedQueries;
}

type Listen = ReturnType<typeof listen>;
const listen = (listener: ReturnType<typeof createListenerMiddleware>) =>
  listener.startListening.withTypes<ListenerState, ThunkDispatch<ListenerState, unknown, UnknownAction>>();

/** Copies the server's status and the current user into the slices, for components that do not use the queries. */
function copyReplies(on: Listen): void {
  const { getStatus } = statusApi.endpoints;
  on({ matcher: getStatus.matchFulfilled, effect: ({ payload }, api) => void api.dispatch(statusReceived(payload)) });
  on({ matcher: getStatus.matchRejected, effect: (_, api) => void api.dispatch(statusFailed()) });
  on({
    matcher: selfApi.endpoints.getSelf.matchFulfilled,
    effect: ({ payload }, api) => void api.dispatch(selfConfirmed(payload)),
  });
  on({
    matcher: sessionApi.endpoints.logout.matchFulfilled,
    effect: (_, api) => void api.dispatch(signedOut()),
  });
}

/**
 * Interval in which only the first refusal fetches the current user again: its reply settles what became of the session, and a page may get
 * many refusals at once.
 */
const REFUSALS_MS = 5000;

/** What a refusal of the server means for the session. */
function handleRefusals(on: Listen): void {
  let refetchedAt = -Infinity;
  const isOver = sessionCheck();
  const repairs = repairQueries();
  let signIns = 0;
  on({
    actionCreator: signedIn,
    effect: () => {
      signIns += 1;
      repairs.forget();
    },
  });
  on({
    matcher: isFulfilled,
    effect: ({ meta }) => {
      // Mutations have no key.
      const { queryCacheKey } = (meta.arg ?? {}) as { queryCacheKey?: string };
      if (queryCacheKey !== undefined) repairs.succeeded(queryCacheKey);
    },
  });
  on({
    actionCreator: sessionRefused,
    effect: async ({ payload: { sentAs, error, query } }, api) => {
      // A call made in the name of a previous user says nothing about the session of the current one.
      const isCurrent = () => api.getState().session.user?.id === sentAs;
      if (!isCurrent()) return;
      const [isGuess, signInsBefore] = [!api.getState().session.confirmed, signIns];
      const stored = readStoredUser();
      if (stored && stored.id !== sentAs) return void api.dispatch(signedIn(stored));
      const over = hasSignedOut(sentAs) || (await isOver(api.dispatch, { userId: sentAs, isGuess }));
      // The verdict is about the session from before a sign-in, also one of the same user.
      if (!isCurrent() || signIns !== signInsBefore) return;
      if (over) api.dispatch(sessionExpired());
      else if (!repairs.repair(api.dispatch, api.getState().api, query) && error) api.dispatch(apiFailed(error));
    },
  });
  on({
    actionCreator: personRefused,
    effect: ({ payload }, api) => {
      api.dispatch(sessionExpired());
      api.dispatch(apiFailed(payload));
    },
  });
  on({
    actionCreator: rightsRefused,
    effect: (_, api) => {
      if (performance.now() - refetchedAt < REFUSALS_MS) return;
      refetchedAt = performance.now();
      api.dispatch(baseApi.util.invalidateTags(['Self']));
    },
  });
}

/** Side effects of actions: storage, toasts, deleting drafts. Reducers stay pure. */
export function effects() {
  const listener = createListenerMiddleware();
  const on = listen(listener);
  copyReplies(on);
  handleRefusals(on);

  on({
    matcher: isAnyOf(signedIn, selfConfirmed, signedOut, sessionExpired),
    effect: (action, api) => {
      const { user } = api.getState().session;
      const stored = readStoredUser();
      const before = api.getOriginalState().session.user ?? stored;
      // What is heard about one user must not replace another, who has signed in from another tab.
      if ((selfConfirmed.match(action) || sessionExpired.match(action)) && stored && stored.id !== before?.id) return;
      // Written before `USER_KEY`, so that other tabs find it when their storage event reports that nobody is signed in.
      if (signedOut.match(action) && before) {
        writeStored(SIGNED_OUT_AT_KEY, String(Date.now()));
        writeStored(SIGNED_OUT_KEY, String(before.id));
      }
      if (signedIn.match(action)) writeStored(SIGNED_OUT_KEY, null);
      writeStored(USER_KEY, user ? JSON.stringify(user) : null);
    },
  });
  on({
    matcher: isAnyOf(signedIn, signedOut, sessionExpired),
    effect: (_, api) => void api.dispatch(baseApi.util.resetApiState()),
  });
  // Drafts survive an expired login, because the same user may return to them.
  on({
    actionCreator: signedOut,
    effect: () => {
      forgetDrafts();
      forgetRecent();
    },
  });
  on({
    actionCreator: sessionExpired,
    effect: (_, api) => {
      if (hasSignedOut(api.getOriginalState().session.user?.id)) forgetDrafts();
    },
  });
  on({
    matcher: isAnyOf(signedIn, selfConfirmed),
    effect: (_, api) => {
      const { user } = api.getState().session;
      if (user) forgetDrafts(user.id);
    },
  });
  on({
    actionCreator: apiFailed,
    effect: ({ payload }, api) => void api.dispatch(toastShown({ severity: 'error', error: payload })),
  });
  on({ actionCreator: statusReceived, effect: ({ payload }) => storeStatus(payload) });
  on({ actionCreator: sidebarToggled, effect: ({ payload }) => writeStored(SIDEBAR_KEY, String(payload)) });
  // Added to what is stored now, because another tab may have stored the choice for another table.
  on({
    actionCreator: pageSizeChosen,
    effect: ({ payload: { table, size } }) =>
      writeStored(PAGE_SIZE_KEY, JSON.stringify({ ...readPageSizes(), [table]: size })),
  });
  on({
    actionCreator: densityChosen,
    effect: ({ payload: { table, density } }) =>
      writeStored(DENSITY_KEY, JSON.stringify({ ...readDensities(), [table]: density })),
  });
  return listener;
}
