import { describe, expect, it } from '@jest/globals';
import type { SessionUser } from '@tollgate/contracts/api/user';
import { sessionExpired } from '../api/events.js';
import { jobStarted, selectJobs } from './slices/jobs.js';
import { densityChosen, pageSizeChosen } from './slices/preferences.js';
import { signedIn, signedOut } from './slices/session.js';
import { createStore } from './store.js';

const ann: SessionUser = { id: 2, username: 'ann', display_name: 'Ann', role: 10, status: 1, group: 'default' };
const bob = { ...ann, id: 3, username: 'bob' };

function work() {
  localStorage.setItem('user', JSON.stringify(ann));
  const store = createStore();
  store.dispatch(jobStarted({ id: 'one', titleKey: 'channel:bulk.enable', total: 2 }));
  return { store, jobs: () => selectJobs(store.getState()).map(({ id }) => id) };
}

describe('the settings of tables', () => {
  it('keep what another tab has chosen for another table meanwhile', () => {
    localStorage.clear();
    const [one, other] = [createStore(), createStore()];
    one.dispatch(pageSizeChosen({ table: 'log', size: 50 }));
    other.dispatch(pageSizeChosen({ table: 'token', size: 20 }));
    one.dispatch(densityChosen({ table: 'log', density: 'roomy' }));
    other.dispatch(densityChosen({ table: 'token', density: 'compact' }));
    expect(JSON.parse(localStorage.getItem('page-size') ?? '')).toEqual({ log: 50, token: 20 });
    expect(JSON.parse(localStorage.getItem('table-density') ?? '')).toEqual({ log: 'roomy', token: 'compact' });
  });
});

describe('jobs', () => {
  it('are kept for the same user after an expired session', () => {
    const { store, jobs } = work();
    store.dispatch(sessionExpired());
    store.dispatch(signedIn(ann));
    expect(jobs()).toEqual(['one']);
  });

  it('are dropped when another user signs in, or the same after signing out', () => {
    const expired = work();
    expired.store.dispatch(sessionExpired());
    expired.store.dispatch(signedIn(bob));
    expect(expired.jobs()).toEqual([]);
    const left = work();
    left.store.dispatch(signedOut());
    left.store.dispatch(signedIn(ann));
    expect(left.jobs()).toEqual([]);
    const replaced = work();
    replaced.store.dispatch(signedIn(bob));
    expect(replaced.jobs()).toEqual([]);
  });
});
