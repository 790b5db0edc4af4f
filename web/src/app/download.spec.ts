import { expect, it } from '@jest/globals';
import { waitFor } from '@testing-library/react';
import { fakeFetch, json, refusal, success } from '../testing/fake-fetch.js';
import { person } from '../testing/render-page.js';
import { downloadFile } from './download.js';
import { signedIn } from './slices/session.js';
import { createStore } from './store.js';

const no = () => refusal('no', 'not-signed-in', { kind: 'unauthenticated' });

async function refused(status: number, self: unknown) {
  globalThis.fetch = fakeFetch({ 'GET /api/journal/export': json(no(), status), 'GET /api/user/self': self }).answer;
  const store = createStore();
  store.dispatch(signedIn(person));
  await store.dispatch(downloadFile('api/journal/export', {}, 'journal.csv'));
  return () => {
    const { session, toasts } = store.getState();
    return { expired: session.expired, told: JSON.stringify(toasts).includes('"no"') };
  };
}
const LOOK_MS = { timeout: 5000 };

it('ends the session when a download is refused because the session expired', async () => {
  const seen = await refused(401, json(no(), 401));
  await waitFor(() => expect(seen()).toEqual({ expired: true, told: false }), LOOK_MS);
});

it('shows every other error of a download', async () => {
  expect((await refused(403, undefined))()).toEqual({ expired: false, told: true });
  const seen = await refused(401, success(person));
  await waitFor(() => expect(seen()).toEqual({ expired: false, told: true }), LOOK_MS);
});

it('sends one request for a file that is being downloaded', async () => {
  const answers: (() => void)[] = [];
  globalThis.fetch = () =>
    new Promise((resolve) => answers.push(() => resolve(json(refusal('no', 'no', { kind: 'forbidden' }), 403))));
  const store = createStore();
  const ask = (filter: Record<string, string>) => store.dispatch(downloadFile('api/journal/export', filter, 'a.csv'));
  const both = [ask({ code: 'refund' }), ask({ code: 'refund' })];
  const other = ask({ code: 'redemption' });
  expect(answers).toHaveLength(2);
  answers.forEach((answer) => answer());
  await Promise.all([...both, other]);
  void ask({ code: 'refund' });
  expect(answers).toHaveLength(3);
});
