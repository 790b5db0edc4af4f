import type { PayloadAction } from '@reduxjs/toolkit';
import { createSlice } from '@reduxjs/toolkit';
import type { LiveKind } from '@tollgate/contracts/api/live';
import { sessionExpired } from '../../api/events.js';
import { signedIn, signedOut } from './session.js';

interface LiveState {
  /** The stream tells of changes; while it does not, what follows changes asks by itself now and then. */
  up: boolean;
  /** Down for so long that a reader should know. */
  lost: boolean;
  /** When a kind was last heard of, milliseconds since the epoch. */
  heardAt: Partial<Record<LiveKind, number>>;
}

const initialState: LiveState = { up: false, lost: false, heardAt: {} };

const slice = createSlice({
  name: 'live',
  initialState,
  reducers: {
    liveOpened: (state) => {
      state.up = true;
      state.lost = false;
    },
    liveClosed: (state) => {
      state.up = false;
    },
    liveLost: (state) => {
      state.lost = !state.up;
    },
    liveHeard: (state, { payload }: PayloadAction<{ kinds: LiveKind[]; at: number }>) => {
      for (const kind of payload.kinds) state.heardAt[kind] = payload.at;
    },
  },
  extraReducers: (builder) => {
    for (const event of [signedIn, signedOut, sessionExpired]) builder.addCase(event, () => initialState);
  },
  selectors: {
    selectLiveUp: ({ up }) => up,
    selectLiveLost: ({ lost }) => lost,
    selectHeardAt: ({ heardAt }, kind: LiveKind) => heardAt[kind] ?? 0,
  },
});

export const { liveOpened, liveClosed, liveLost, liveHeard } = slice.actions;
export const { selectLiveUp, selectLiveLost, selectHeardAt } = slice.selectors;
export const liveReducer = slice.reducer;
