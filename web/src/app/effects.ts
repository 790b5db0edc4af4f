import type { Dispatch } from '@reduxjs/toolkit';
import { createListenerMiddleware, isAnyOf } from '@reduxjs/toolkit';
import { baseApi } from '../api/base-api.js';
import { apiFailed, rightsRefused, sessionExpired } from '../api/events.js';
import {
  DENSITY_KEY,
  PAGE_SIZE_KEY,
  SIDEBAR_KEY,
  densityChosen,
  pageSizeChosen,
  sidebarToggled,
} from './slices/preferences.js';
import type { PreferencesState } from './slices/preferences.js';
import type { SessionState } from './slices/session.js';
import { USER_KEY, selfConfirmed, signedIn, signedOut } from './slices/session.js';
import { statusReceived, storeStatus } from './slices/status.js';
import { toastShown } from './slices/toasts.js';
import { writeStored } from './stored.js';

interface Known {
  session: SessionState;
  preferences: PreferencesState;
}

/** What happens because of an action: storage, toasts, forgetting. Reducers stay pure. */
export function effects() {
  const listener = createListenerMiddleware();
  const on = listener.startListening.withTypes<Known, Dispatch>();

  on({
    matcher: isAnyOf(signedIn, selfConfirmed, signedOut, sessionExpired),
    effect: (_, api) => {
      const { user } = api.getState().session;
      writeStored(USER_KEY, user ? JSON.stringify(user) : null);
    },
  });
  on({
    matcher: isAnyOf(signedIn, signedOut, sessionExpired),
    effect: (_, api) => void api.dispatch(baseApi.util.resetApiState()),
  });
  on({
    actionCreator: rightsRefused,
    effect: (_, api) => void api.dispatch(baseApi.util.invalidateTags(['Self'])),
  });
  on({
    actionCreator: apiFailed,
    effect: ({ payload }, api) => void api.dispatch(toastShown({ severity: 'error', error: payload })),
  });
  on({ actionCreator: statusReceived, effect: ({ payload }) => storeStatus(payload) });
  on({ actionCreator: sidebarToggled, effect: ({ payload }) => writeStored(SIDEBAR_KEY, String(payload)) });
  on({
    actionCreator: pageSizeChosen,
    effect: (_, api) => writeStored(PAGE_SIZE_KEY, JSON.stringify(api.getState().preferences.pageSizes)),
  });
  on({
    actionCreator: densityChosen,
    effect: (_, api) => writeStored(DENSITY_KEY, JSON.stringify(api.getState().preferences.density)),
  });
  return listener;
}
