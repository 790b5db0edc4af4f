import { nanoid } from '@reduxjs/toolkit';
import type { TextKey } from './i18n/text-keys.js';
import { isApiError } from '../api/api-error.js';
import type { Job, JobResult, Saying } from './slices/jobs.js';
import { jobAdvanced, jobEnded, jobPaused, jobStarted } from './slices/jobs.js';
import type { AppThunk } from './store.js';

/** One call of a job. It rejects when nothing was done. */
interface JobCall {
  /** The things that the call works on, reported as failed if the call rejects. */
  names: { name: Saying; to?: string }[];
  run: () => Promise<JobResult[]>;
}

interface JobStep {
  name: Saying;
  /** Resolves with what happened, or rejects. */
  run: () => Promise<Saying>;
  to?: string;
}

/** A call that works on a single thing. */
export const stepCall = ({ name, run, to }: JobStep): JobCall => ({
  names: [{ name, to }],
  run: async () => [{ name, to, ok: true, text: await run() }],
});

interface JobPlan {
  titleKey: TextKey;
  calls: JobCall[];
  /** After a failed call the remaining ones are not made. */
  stopOnFailure?: boolean;
}

/** How often in a row one call is repeated after status 429. */
const MOST_PAUSES = 10;
const CHECK_MS = 500;
/** Wait after a 429 without `Retry-After`. */
const PAUSE_MS = 15_000;

const stateOf =
  (id: string): AppThunk<Job['state'] | undefined> =>
  (_, getState) =>
    getState().jobs.jobs.find((job) => job.id === id)?.state;

/** Waits in small steps, so that cancelling the job takes effect soon. */
const pause =
  (id: string, ms: number): AppThunk<Promise<void>> =>
  async (dispatch) => {
    const until = Date.now() + ms;
    dispatch(jobPaused({ id, until }));
    while (Date.now() < until && dispatch(stateOf(id)) === 'running')
      await new Promise((resolve) => setTimeout(resolve, Math.min(CHECK_MS, until - Date.now())));
  };

/** Status 429 is no failure of the thing itself: the call is repeated after the wait that the server asked for. */
const callWithPauses =
  (id: string, call: JobCall, pauses = MOST_PAUSES): AppThunk<Promise<JobResult[]>> =>
  async (dispatch) => {
    try {
      return await call.run();
    } catch (error) {
      if (!isApiError(error) || error.status !== 429 || pauses === 0) throw error;
      await dispatch(pause(id, error.retryAfterMs ?? PAUSE_MS));
      return dispatch(stateOf(id)) === 'running' ? dispatch(callWithPauses(id, call, pauses - 1)) : [];
    }
  };

/** Makes the calls one after another and publishes each result. Cancelling keeps what is done. Several jobs can run at the same time. */
export const runJob =
  ({ titleKey, calls, stopOnFailure = false }: JobPlan): AppThunk<Promise<JobResult[]>> =>
  async (dispatch) => {
    const id = nanoid();
    const all: JobResult[] = [];
    dispatch(jobStarted({ id, titleKey, total: calls.reduce((sum, { names }) => sum + names.length, 0) }));
    for (const call of calls) {
      if (dispatch(stateOf(id)) !== 'running') break;
      const results = await dispatch(callWithPauses(id, call)).catch((error: unknown) =>
        call.names.map(({ name, to }): JobResult => ({ name, to, ok: false, text: { error } })),
      );
      all.push(...results);
      dispatch(jobAdvanced({ id, results }));
      if (stopOnFailure && results.some(({ ok }) => !ok)) break;
    }
    dispatch(jobEnded(id));
    return all;
  };
