import type { PayloadAction } from '@reduxjs/toolkit';
import { createSlice } from '@reduxjs/toolkit';
import type { LiveKind } from '@tollgate/contracts/api/live';
import { sessionExpired } from '../../api/events.js';
import { signedIn, signedOut } from './session.js';

interface LiveState {
  /** The live stream is connected and reports changes; while it is not, views that follow changes poll instead. */
  up: boolean;
  /** The stream has been disconnected for so long that the console shows it to the user. */
  lost: boolean;
  /** When the stream last reported a change of each kind, in milliseconds since the epoch. */
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
