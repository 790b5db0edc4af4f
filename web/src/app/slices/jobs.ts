import type { TextKey } from '../i18n/text-keys.js';
import type { PayloadAction } from '@reduxjs/toolkit';
import { createSlice } from '@reduxjs/toolkit';

/** What happened, to be said in the language that the reader has chosen by then: a name or a quotation, a text of a dictionary, or a failure. */
export type Saying = string | { key: TextKey; values?: Record<string, unknown> } | { error: unknown };

export interface JobResult {
  name: Saying;
  ok: boolean;
  text: Saying;
  to?: string;
}

/** A long action of several calls, started in this browser. */
export interface Job {
  id: string;
  titleKey: TextKey;
  total: number;
  results: JobResult[];
  state: 'running' | 'cancelling' | 'done' | 'cancelled';
  /** The server asked to wait: no call is sent before this moment, in milliseconds since the epoch. */
  pausedUntil?: number;
}

interface JobsState {
  /** Oldest first; jobs run independently of each other. */
  jobs: Job[];
  open: boolean;
  /** The user whom the jobs belong to while nobody is signed in after an expired login. */
  owner?: number;
}

export const noJobs: JobsState = { jobs: [], open: false };

export const isRunning = ({ state }: Pick<Job, 'state'>): boolean => state === 'running' || state === 'cancelling';

const find = (state: JobsState, id: string): Job | undefined => state.jobs.find((job) => job.id === id);

const slice = createSlice({
  name: 'jobs',
  initialState: noJobs,
  reducers: {
    jobStarted: (state, { payload }: PayloadAction<Pick<Job, 'id' | 'titleKey' | 'total'>>) => {
      state.jobs.push({ ...payload, results: [], state: 'running' });
      state.open = true;
    },
    jobAdvanced: (state, { payload }: PayloadAction<{ id: string; results: JobResult[] }>) => {
      const job = find(state, payload.id);
      if (!job) return;
      job.results.push(...payload.results);
      job.pausedUntil = undefined;
    },
    jobPaused: (state, { payload }: PayloadAction<{ id: string; until: number }>) => {
      const job = find(state, payload.id);
      if (job) job.pausedUntil = payload.until;
    },
    jobEnded: (state, { payload }: PayloadAction<string>) => {
      const job = find(state, payload);
      if (!job) return;
      job.state = job.state === 'cancelling' ? 'cancelled' : 'done';
      job.pausedUntil = undefined;
    },
    jobCancelled: (state, { payload }: PayloadAction<string>) => {
      const job = find(state, payload);
      if (job?.state === 'running') job.state = 'cancelling';
    },
    jobClosed: (state, { payload }: PayloadAction<string>) => {
      state.jobs = state.jobs.filter((job) => job.id !== payload || isRunning(job));
    },
    /** Hiding the drawer keeps the running jobs and removes the finished ones, which the user has seen. */
    jobsShown: (state, { payload }: PayloadAction<boolean>) => {
      state.open = payload;
      if (!payload) state.jobs = state.jobs.filter(isRunning);
    },
  },
  selectors: { selectJobs: (state) => state.jobs, selectJobsOpen: (state) => state.open },
});

export const { jobStarted, jobAdvanced, jobPaused, jobEnded, jobCancelled, jobClosed, jobsShown } = slice.actions;
export const { selectJobs, selectJobsOpen } = slice.selectors;
export const jobsReducer = slice.reducer;
