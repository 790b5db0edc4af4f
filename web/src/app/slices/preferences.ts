import type { PayloadAction } from '@reduxjs/toolkit';
import { createSlice } from '@reduxjs/toolkit';
import { readStored, readStoredJson } from '../stored.js';

export const SIDEBAR_KEY = 'default_collapse_sidebar';
export const PAGE_SIZE_KEY = 'page-size';
export const DENSITY_KEY = 'table-density';
export const ID_SORT_KEY = 'id-sort';

export const pageSizes = [10, 20, 50, 100] as const;
export type Density = 'compact' | 'standard' | 'roomy';

interface PreferencesState {
  /** `undefined` until the user has chosen: the server's default applies. */
  sidebarCollapsed: boolean | undefined;
  pageSizes: Record<string, number>;
  density: Record<string, Density>;
}

const isRecord =
  <T>(isValue: (value: unknown) => value is T) =>
  (value: unknown): value is Record<string, T> =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isValue);
const isSize = (value: unknown): value is number => (pageSizes as readonly unknown[]).includes(value);
const isDensity = (value: unknown): value is Density =>
  value === 'compact' || value === 'standard' || value === 'roomy';

/** The documented key holds a single number; the console stores one size per table under the same key. */
export function readPageSizes(): Record<string, number> {
  const bare = Number(readStored(PAGE_SIZE_KEY));
  if (isSize(bare)) return { default: bare };
  return readStoredJson(PAGE_SIZE_KEY, isRecord(isSize)) ?? {};
}

export const readDensities = (): Record<string, Density> => readStoredJson(DENSITY_KEY, isRecord(isDensity)) ?? {};

const slice = createSlice({
  name: 'preferences',
  initialState: (): PreferencesState => {
    const stored = readStored(SIDEBAR_KEY);
    return {
      sidebarCollapsed: stored === null ? undefined : stored === 'true',
      pageSizes: readPageSizes(),
      density: readDensities(),
    };
  },
  reducers: {
    sidebarToggled: (state, { payload }: PayloadAction<boolean>) => {
      state.sidebarCollapsed = payload;
    },
    pageSizeChosen: (state, { payload }: PayloadAction<{ table: string; size: number }>) => {
      state.pageSizes[payload.table] = payload.size;
    },
    densityChosen: (state, { payload }: PayloadAction<{ table: string; density: Density }>) => {
      state.density[payload.table] = payload.density;
    },
  },
  selectors: {
    selectSidebarChoice: (state) => state.sidebarCollapsed,
    selectPageSizes: (state) => state.pageSizes,
    selectDensity: (state, table: string, fallback: Density) => state.density[table] ?? fallback,
  },
});

export const { sidebarToggled, pageSizeChosen, densityChosen } = slice.actions;
export const { selectSidebarChoice, selectPageSizes, selectDensity } = slice.selectors;
export const preferencesReducer = slice.reducer;
