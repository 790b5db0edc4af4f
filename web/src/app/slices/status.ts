import type { PayloadAction } from '@reduxjs/toolkit';
import { createSlice } from '@reduxjs/toolkit';
import type { Status } from '@tollgate/contracts/api/status';
import { isObject } from '../../api/is-object.js';
import { readStoredJson, writeStored } from '../stored.js';

export const STATUS_KEY = 'status';

interface StatusState {
  status: Partial<Status>;
  /** `cached` until the server has replied for the first time. */
  source: 'cached' | 'server';
  failed: boolean;
}

const isStatus = (value: unknown): value is Partial<Status> => isObject(value);

const slice = createSlice({
  name: 'status',
  initialState: (): StatusState => ({
    status: readStoredJson(STATUS_KEY, isStatus) ?? {},
    source: 'cached',
    failed: false,
  }),
  reducers: {
    statusReceived: (state, { payload }: PayloadAction<Partial<Status>>) => {
      state.status = payload;
      state.source = 'server';
      state.failed = false;
    },
    statusFailed: (state) => {
      state.failed = true;
    },
  },
  selectors: {
    selectStatus: (state) => state.status,
    selectStatusKnown: (state) => state.source === 'server',
    selectStatusFailed: (state) => state.failed && state.source === 'cached',
  },
});

export const { statusReceived, statusFailed } = slice.actions;
export const { selectStatus, selectStatusKnown, selectStatusFailed } = slice.selectors;
export const statusReducer = slice.reducer;

export const DEFAULT_SYSTEM_NAME = 'Tollgate';
export const DEFAULT_LOGO = '/logo.png';

/**
 * The documented local-storage keys that other tabs and older pages read. The sidebar's state is not among them, because it belongs to the
 * user.
 */
const DERIVED = [
  'system_name',
  'logo',
  'footer_html',
  'quota_per_unit',
  'display_in_currency',
  'enable_drawing',
  'enable_task',
  'enable_data_export',
  'data_export_default_time',
  'mj_notify_enabled',
  'docs_link',
] as const satisfies (keyof Status)[];

/** The only function that writes the status and the keys derived from it to local storage. */
export function storeStatus(status: Partial<Status>): void {
  writeStored(STATUS_KEY, JSON.stringify(status));
  for (const key of DERIVED) {
    const value = status[key];
    writeStored(key, value === undefined || value === '' ? null : String(value));
  }
  writeStored('chats', JSON.stringify(status.chats ?? []));
}
