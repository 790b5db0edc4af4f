import type { PayloadAction } from '@reduxjs/toolkit';
import { createSlice } from '@reduxjs/toolkit';

/** The dialogs that the shell opens over a page. */
type Layer = 'palette' | 'shortcuts' | undefined;

const slice = createSlice({
  name: 'layer',
  initialState: { shown: undefined as Layer },
  reducers: {
    layerShown(state, { payload }: PayloadAction<Layer>) {
      state.shown = payload;
    },
  },
  selectors: { selectLayer: ({ shown }) => shown },
});

export const layerReducer = slice.reducer;
export const { layerShown } = slice.actions;
export const { selectLayer } = slice.selectors;
