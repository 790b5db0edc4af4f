import type { PayloadAction } from '@reduxjs/toolkit';
import { createSlice, nanoid } from '@reduxjs/toolkit';
import type { TextKey } from '../i18n/text-keys.js';
import type { ApiError } from '../../api/api-error.js';

export type Severity = 'success' | 'info' | 'warning' | 'error';

export interface Toast {
  id: string;
  severity: Severity;
  /**
   * Either a dictionary key with its parameters or the error itself, not a finished text: open toasts are translated when the language
   * changes.
   */
  key?: TextKey;
  params?: Record<string, string | number>;
  error?: ApiError;
  count: number;
  at: number;
}

type Content = Pick<Toast, 'severity' | 'key' | 'params' | 'error'>;

const MAX_TOASTS = 3;
const REPEAT_MS = 3000;

const sameText = (one: Content, other: Content): boolean =>
  one.severity === other.severity &&
  one.key === other.key &&
  one.error?.message === other.error?.message &&
  one.error?.status === other.error?.status &&
  JSON.stringify(one.params) === JSON.stringify(other.params);

const slice = createSlice({
  name: 'toasts',
  initialState: [] as Toast[],
  reducers: {
    toastShown: {
      prepare: (content: Content) => ({ payload: { ...content, id: nanoid(), count: 1, at: Date.now() } }),
      reducer: (state, { payload }: PayloadAction<Toast>) => {
        const twin = state.find((toast) => sameText(toast, payload) && payload.at - toast.at < REPEAT_MS);
        if (twin) {
          twin.count += 1;
          twin.at = payload.at;
          return;
        }
        state.push(payload);
        if (state.length > MAX_TOASTS) state.splice(0, state.length - MAX_TOASTS);
      },
    },
    toastClosed: (state, { payload }: PayloadAction<string>) => state.filter((toast) => toast.id !== payload),
  },
  selectors: { selectToasts: (state) => state },
});

export const { toastShown, toastClosed } = slice.actions;
export const { selectToasts } = slice.selectors;
export const toastsReducer = slice.reducer;
