import type { PayloadAction } from '@reduxjs/toolkit';
import { createSlice } from '@reduxjs/toolkit';

export interface JobResult {
  name: string;
  ok: boolean;
  text: string;
  to?: string;
}

/** A long action that runs one call after another in this browser. */
export interface Job {
  id: string;
  titleKey: string;
  total: number;
  results: JobResult[];
  state: 'running' | 'cancelling' | 'done' | 'cancelled';
}

interface JobsState {
  job: Job | null;
  open: boolean;
}

const slice = createSlice({
  name: 'jobs',
  initialState: { job: null, open: false } as JobsState,
  reducers: {
    jobStarted: (state, { payload }: PayloadAction<Pick<Job, 'id' | 'titleKey' | 'total'>>) => {
      state.job = { ...payload, results: [], state: 'running' };
      state.open = true;
    },
    jobAdvanced: (state, { payload }: PayloadAction<{ id: string; result: JobResult }>) => {
      if (state.job?.id === payload.id) state.job.results.push(payload.result);
    },
    jobEnded: (state, { payload }: PayloadAction<string>) => {
      if (state.job?.id === payload) state.job.state = state.job.state === 'cancelling' ? 'cancelled' : 'done';
    },
    jobCancelled: (state) => {
      if (state.job?.state === 'running') state.job.state = 'cancelling';
    },
    jobShown: (state, { payload }: PayloadAction<boolean>) => {
      state.open = payload;
      if (!payload && state.job && state.job.state !== 'running' && state.job.state !== 'cancelling') state.job = null;
    },
  },
  selectors: { selectJob: (state) => state.job, selectJobOpen: (state) => state.open },
});

export const { jobStarted, jobAdvanced, jobEnded, jobCancelled, jobShown } = slice.actions;
export const { selectJob, selectJobOpen } = slice.selectors;
export const jobsReducer = slice.reducer;
