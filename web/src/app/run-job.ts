import { nanoid } from '@reduxjs/toolkit';
import { describeError } from '../api/api-error.js';
import type { JobResult } from './slices/jobs.js';
import { jobAdvanced, jobEnded, jobStarted } from './slices/jobs.js';
import type { AppThunk } from './store.js';

export interface JobStep {
  name: string;
  /** Answers what happened in words, or rejects. */
  run: () => Promise<string>;
  to?: string;
}

interface JobPlan {
  titleKey: string;
  steps: JobStep[];
  /** The rest is left when one fails. */
  stopOnFailure?: boolean;
}

/** One call after another, with the result of each in view; cancelling keeps what is done. */
export const runJob =
  ({ titleKey, steps, stopOnFailure = false }: JobPlan): AppThunk<Promise<JobResult[]>> =>
  async (dispatch, getState) => {
    const id = nanoid();
    const results: JobResult[] = [];
    dispatch(jobStarted({ id, titleKey, total: steps.length }));
    for (const { name, run, to } of steps) {
      const { job } = getState().jobs;
      if (job?.id !== id || job.state === 'cancelling') break;
      const result = await run().then(
        (text): JobResult => ({ name, ok: true, text, to }),
        (error: unknown): JobResult => ({ name, ok: false, text: describeError(error), to }),
      );
      results.push(result);
      dispatch(jobAdvanced({ id, result }));
      if (!result.ok && stopOnFailure) break;
    }
    dispatch(jobEnded(id));
    return results;
  };
