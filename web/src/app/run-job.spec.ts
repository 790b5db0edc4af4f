import { describe, expect, it } from '@jest/globals';
import type { ApiError } from '../api/api-error.js';
import { runJob, stepCall } from './run-job.js';
import type { JobResult } from './slices/jobs.js';
import { jobCancelled, selectJobs } from './slices/jobs.js';
import { signedOut } from './slices/session.js';
import { createStore } from './store.js';

/** Steps that a test ends one by one. */
function gates(count: number) {
  const open: (() => void)[] = [];
  const calls = Array.from({ length: count }, (_, index) =>
    stepCall({ name: `${index}`, run: () => new Promise((resolve) => (open[index] = () => resolve('done'))) }),
  );
  const next = async (index: number) => {
    for (let tries = 0; !open[index] && tries < 50; tries += 1) await Promise.resolve();
    open[index]?.();
  };
  return { calls, next };
}

const busy = (retryAfterMs?: number): ApiError => ({ status: 429, message: 'too many', retryAfterMs });

describe('jobs', () => {
  it('run in parallel, each to its own end', async () => {
    const store = createStore();
    const [one, other] = [gates(2), gates(2)];
    const first = store.dispatch(runJob({ titleKey: 'nav.token', calls: one.calls }));
    await one.next(0);
    const second = store.dispatch(runJob({ titleKey: 'nav.log', calls: other.calls }));
    for (const gate of [one, other]) for (const index of [0, 1]) await gate.next(index);
    expect((await first).map(({ ok }) => ok)).toEqual([true, true]);
    expect((await second).map(({ ok }) => ok)).toEqual([true, true]);
    expect(selectJobs(store.getState()).map(({ titleKey, state }) => [titleKey, state])).toEqual([
      ['nav.token', 'done'],
      ['nav.log', 'done'],
    ]);
  });

  it('are cancelled one at a time', async () => {
    const store = createStore();
    const [one, other] = [gates(2), gates(2)];
    const first = store.dispatch(runJob({ titleKey: 'nav.token', calls: one.calls }));
    const second = store.dispatch(runJob({ titleKey: 'nav.log', calls: other.calls }));
    store.dispatch(jobCancelled(selectJobs(store.getState())[0]?.id ?? ''));
    await one.next(0);
    for (const index of [0, 1]) await other.next(index);
    expect(await first).toHaveLength(1);
    expect(await second).toHaveLength(2);
    expect(selectJobs(store.getState()).map(({ state }) => state)).toEqual(['cancelled', 'done']);
  });

  it('wait for a busy server without counting a failure', async () => {
    const store = createStore();
    let asked = 0;
    const run = async (): Promise<JobResult[]> => {
      asked += 1;
      if (asked < 3) throw busy(1);
      return [{ name: 'x', ok: true, text: '' }];
    };
    const results = await store.dispatch(runJob({ titleKey: 'nav.token', calls: [{ names: [{ name: 'x' }], run }] }));
    expect(results).toEqual([{ name: 'x', ok: true, text: '' }]);
    expect(asked).toBe(3);
  });

  it('report a failure for each item of a failed call', async () => {
    const store = createStore();
    const call = { names: [{ name: 'x' }, { name: 'y' }], run: async () => Promise.reject(new Error('no')) };
    const results = await store.dispatch(runJob({ titleKey: 'nav.token', calls: [call] }));
    expect(results.map(({ name, ok }) => [name, ok])).toEqual([
      ['x', false],
      ['y', false],
    ]);
  });

  it('end with the session', async () => {
    const store = createStore();
    const one = gates(2);
    const first = store.dispatch(runJob({ titleKey: 'nav.token', calls: one.calls }));
    store.dispatch(signedOut());
    await one.next(0);
    expect(await first).toHaveLength(1);
    expect(selectJobs(store.getState())).toEqual([]);
  });
});
