import { expect, it } from '@jest/globals';
import { waitFor } from '@testing-library/react';
import { signedIn } from '../app/slices/session.js';
import type { AppThunk } from '../app/store.js';
import { createStore } from '../app/store.js';
import { fakeFetch, success } from '../testing/fake-fetch.js';
import { root } from '../testing/render-page.js';
import { approvalApi } from './approval.api.js';
import { journalApi } from './journal.api.js';
import { statementApi } from './statement.api.js';
import { topUpApi } from './top-up.api.js';
import { userApi } from './user.api.js';

const page = success({ items: [], total: 0, page: 1, page_size: 10 });
const journal = {
  user_id: '',
  token_id: '',
  actor_id: '',
  code: '',
  reference: '',
  start_timestamp: '',
  end_timestamp: '',
};
const statement = { start: '2026-01-01', end: '2026-01-31', period: 'day', by: 'none', user_id: '' };
const first = { page: 1, size: 10 };

const adjust = (): AppThunk<unknown> => (dispatch) =>
  dispatch(userApi.endpoints.updateUser.initiate({ change: { id: 3, quota_delta: 1, reason: 'r' }, key: 'k' }));
const redeem = (): AppThunk<unknown> => (dispatch) => dispatch(topUpApi.endpoints.redeem.initiate('code'));
const refund = (): AppThunk<unknown> => (dispatch) =>
  dispatch(topUpApi.endpoints.refundTopUp.initiate({ id: 1, reason: 'r' }));

it.each([
  ['an adjustment', adjust, ['/api/journal', '/api/statement', '/api/approval/pending']],
  ['a code', redeem, ['/api/journal', '/api/statement']],
  ['a refund', refund, ['/api/journal', '/api/statement', '/api/approval/pending']],
])('an own %s refetches the books', async (_, book, read) => {
  const network = fakeFetch({
    'GET /api/journal': page,
    'GET /api/statement': page,
    'GET /api/approval/pending': success({ count: 0 }),
    'PUT /api/user/': success(),
    'POST /api/user/topup': success(1),
    'POST /api/user/topup/1/refund': success(),
  });
  globalThis.fetch = network.answer;
  const store = createStore();
  store.dispatch(signedIn(root));
  await store.dispatch(journalApi.endpoints.listJournal.initiate({ ...first, filter: journal }));
  await store.dispatch(statementApi.endpoints.getStatement.initiate({ ...first, filter: statement, own: false }));
  await store.dispatch(approvalApi.endpoints.countPendingApprovals.initiate());
  await store.dispatch(book());
  for (const path of read) await waitFor(() => expect(network.of('GET', path)).toHaveLength(2));
});
