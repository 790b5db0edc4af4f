import type { Action, ThunkAction } from '@reduxjs/toolkit';
import { combineReducers, configureStore } from '@reduxjs/toolkit';
import { useDispatch, useSelector } from 'react-redux';
import { baseApi } from '../api/base-api.js';
import { sessionExpired } from '../api/events.js';
import { forgetDraftsBefore } from './drafts.js';
import { effects } from './effects.js';
import { jobsReducer, noJobs } from './slices/jobs.js';
import { layerReducer } from './slices/layer.js';
import { liveReducer } from './slices/live.js';
import { preferencesReducer } from './slices/preferences.js';
import { lastSignOut, sessionReducer, signedIn, signedOut } from './slices/session.js';
import { statusReducer } from './slices/status.js';
import { toastsReducer } from './slices/toasts.js';

const combined = combineReducers({
  session: sessionReducer,
  status: statusReducer,
  preferences: preferencesReducer,
  toasts: toastsReducer,
  jobs: jobsReducer,
  layer: layerReducer,
  live: liveReducer,
  [baseApi.reducerPath]: baseApi.reducer,
});
export type RootState = ReturnType<typeof combined>;

/**
 * Jobs belong to a user: signing out deletes them, an expired login keeps them until it is known whether the same user returns. Toasts are
 * kept, because they were shown just now.
 */
function jobsBefore({ jobs, session }: RootState, action: Action): RootState['jobs'] {
  if (sessionExpired.match(action)) return { ...jobs, owner: session.user?.id ?? jobs.owner };
  if (signedOut.match(action)) return noJobs;
  if (!signedIn.match(action)) return jobs;
  return (session.user?.id ?? jobs.owner) === action.payload.id ? { ...jobs, owner: undefined } : noJobs;
}

const rootReducer = (state: RootState | undefined, action: Action): RootState =>
  combined(state && { ...state, jobs: jobsBefore(state, action) }, action);

export const createStore = () => {
  // A tab that was on another site, or closed and reopened, has heard of no sign-out meanwhile.
  forgetDraftsBefore(lastSignOut() ?? -Infinity);
  return configureStore({
    reducer: rootReducer,
    middleware: (defaults) =>
      defaults({ serializableCheck: false }).prepend(effects().middleware).concat(baseApi.middleware),
  });
};

export type Store = ReturnType<typeof createStore>;
type AppDispatch = Store['dispatch'];
export type AppThunk<T = void> = ThunkAction<T, RootState, unknown, Action>;
export const useAppDispatch = useDispatch.withTypes<AppDispatch>();
export const useAppSelector = useSelector.withTypes<RootState>();
