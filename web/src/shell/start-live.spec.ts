import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { waitFor } from '@testing-library/react';
import { signedIn, signedOut } from '../app/slices/session.js';
import { createStore, type Store } from '../app/store.js';
import { PART_MISSING } from '../components/basics/lazy-part.js';
import { person } from '../testing/render-page.js';
import { startLive } from './start-live.js';

const gone = () => Promise.reject(new TypeError('Failed to fetch dynamically imported module'));

describe('the start of the live connection', () => {
  let store: Store;
  const missing = jest.fn();
  const keepLive = jest.fn<(store: Store) => () => void>(() => () => undefined);
  const { fetch } = globalThis;
  beforeEach(() => {
    store = createStore();
    window.addEventListener(PART_MISSING, missing);
  });
  afterEach(() => {
    window.removeEventListener(PART_MISSING, missing);
    globalThis.fetch = fetch;
    jest.useRealTimers();
    jest.clearAllMocks();
  });

  it('opens the stream of the person who is signed in', async () => {
    const opened: string[] = [];
    globalThis.fetch = (input) => {
      opened.push(new URL(String(input instanceof Request ? input.url : input)).pathname);
      return new Promise(() => undefined);
    };
    store.dispatch(signedIn(person));
    await startLive(store);
    await waitFor(() => expect(opened).toContain('/api/live'));
    store.dispatch(signedOut());
  });

  it('tries the file of its code twice, in case of a network failure', async () => {
    jest.useFakeTimers();
    const load = jest.fn(async () => ({ keepLive })).mockImplementationOnce(gone);
    const started = startLive(store, load);
    await jest.runAllTimersAsync();
    await started;
    expect(load).toHaveBeenCalledTimes(2);
    expect(keepLive.mock.calls).toEqual([[store]]);
    expect(missing).not.toHaveBeenCalled();
  });

  it('is left out when the file is missing, so that the console polls and looks for a newer version', async () => {
    jest.useFakeTimers();
    const load = jest.fn(gone);
    const started = startLive(store, load);
    await jest.runAllTimersAsync();
    await expect(started).resolves.toBeUndefined();
    expect(load).toHaveBeenCalledTimes(2);
    expect(missing).toHaveBeenCalledTimes(1);
  });
});
