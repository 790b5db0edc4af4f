import { expect, it } from '@jest/globals';
import { json, refusal } from '../testing/fake-fetch.js';
import { person } from '../testing/render-page.js';
import { downloadFile } from './download.js';
import { signedIn } from './slices/session.js';
import { createStore } from './store.js';

async function refused(status: number) {
  globalThis.fetch = () => Promise.resolve(json(refusal('no', 'not-signed-in', { kind: 'unauthenticated' }), status));
  const store = createStore();
  store.dispatch(signedIn(person));
  await store.dispatch(downloadFile('api/journal/export', {}, 'journal.csv'));
  const { session, toasts } = store.getState();
  return { expired: session.expired, told: JSON.stringify(toasts).includes('"no"') };
}

it('ends the session where a file is refused because it is over, as every other call does', async () => {
  expect(await refused(401)).toEqual({ expired: true, told: false });
});

it('tells every other refusal', async () => {
  expect(await refused(403)).toEqual({ expired: false, told: true });
});

it('asks once for a file that is on its way', async () => {
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
