import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { waitFor } from '@testing-library/react';
import type { LiveKind } from '@tollgate/contracts/api/live';
import { person, selfOf } from '../testing/render-page.js';
import { fakeFetch, json, success } from '../testing/fake-fetch.js';
import { SILENCE_MS } from '../api/live-stream.js';
import { PAUSE_MS, keepLive, retryDelay } from './live.js';
import { selectHeardAt, selectLiveLost, selectLiveUp } from './slices/live.js';
import { signedIn, signedOut } from './slices/session.js';
import { selfApi } from '../api/self.api.js';
import { statusApi } from '../api/status.api.js';
import { createStore, type Store } from './store.js';

/** The server's side of one live stream. */
class Line {
  readonly reply: Response;
  private controller!: ReadableStreamDefaultController<Uint8Array>;

  constructor() {
    const body = new ReadableStream<Uint8Array>({ start: (controller) => void (this.controller = controller) });
    this.reply = new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
    this.say(': Tollgate\nretry: 2000\n\n');
  }

  say(text: string): void {
    this.controller.enqueue(new TextEncoder().encode(text));
  }

  changed(...changed: LiveKind[]): void {
    this.say(`data: ${JSON.stringify({ changed })}\n\n`);
  }

  cut(reason: unknown): void {
    this.controller.error(reason);
  }

  end(): void {
    this.controller.close();
  }
}

let visibility: DocumentVisibilityState;
let store: Store;
let lines: (Line | Response)[];
let opened: { missed: number; signal: AbortSignal }[];
let network: ReturnType<typeof fakeFetch>;
let stop: () => void;

beforeEach(() => {
  localStorage.clear();
  visibility = 'visible';
  jest.spyOn(document, 'visibilityState', 'get').mockImplementation(() => visibility);
  jest.spyOn(Math, 'random').mockReturnValue(0.5);
  lines = [];
  opened = [];
  network = fakeFetch({ 'GET /api/status': success({}), 'GET /api/user/self': success(selfOf(person)) });
  globalThis.fetch = async (input, init) => {
    const { pathname, searchParams } = new URL(String(input instanceof Request ? input.url : input));
    if (pathname !== '/api/live') return network.answer(input, init);
    const signal = init?.signal as AbortSignal;
    opened.push({ missed: Number(searchParams.get('missed')), signal });
    const line = lines[opened.length - 1] ?? new Line();
    lines[opened.length - 1] = line;
    if (line instanceof Response) return line.clone();
    signal.addEventListener('abort', () => line.cut(signal.reason));
    return line.reply;
  };
  store = createStore();
});
afterEach(() => {
  stop?.();
  jest.useRealTimers();
  jest.restoreAllMocks();
});

const show = (state: DocumentVisibilityState): void => {
  visibility = state;
  document.dispatchEvent(new Event('visibilitychange'));
};
const isUp = (): boolean => selectLiveUp(store.getState());
const untilUp = (up = true): Promise<void> => waitFor(() => expect(isUp()).toBe(up));
const line = (index: number): Line => lines[index] as Line;

async function begin(): Promise<void> {
  store.dispatch(signedIn(person));
  stop = keepLive(store);
  await untilUp();
}

describe('the live connection of a window', () => {
  it('is open only while a user is signed in', async () => {
    stop = keepLive(store);
    expect(opened).toHaveLength(0);
    store.dispatch(signedIn(person));
    await untilUp();
    expect(opened).toHaveLength(1);
    store.dispatch(signedOut());
    expect(isUp()).toBe(false);
    expect(opened[0]?.signal.aborted).toBe(true);
  });

  it('refetches only changed data that is shown', async () => {
    await begin();
    const self = store.dispatch(selfApi.endpoints.getSelf.initiate());
    const status = store.dispatch(statusApi.endpoints.getStatus.initiate());
    await Promise.all([self, status]);
    line(0).changed('user');
    await waitFor(() => expect(network.of('GET', '/api/user/self')).toHaveLength(2));
    expect(network.of('GET', '/api/status')).toHaveLength(1);
    line(0).changed('status', 'usage');
    await waitFor(() => expect(network.of('GET', '/api/status')).toHaveLength(2));
    expect(network.of('GET', '/api/user/self')).toHaveLength(2);
    expect(selectHeardAt(store.getState(), 'usage')).toBeGreaterThan(0);
    expect(selectHeardAt(store.getState(), 'channels')).toBe(0);
  });

  it('reports a continuous change at once, and then after each pause', async () => {
    await begin();
    await store.dispatch(selfApi.endpoints.getSelf.initiate());
    jest.useFakeTimers();
    const asked = () => network.of('GET', '/api/user/self').length - 1;
    for (let second = 0; second < 58; second += 1) {
      line(0).changed('user', 'usage');
      await jest.advanceTimersByTimeAsync(1000);
    }
    expect(asked()).toBe(12);
    await jest.advanceTimersByTimeAsync(PAUSE_MS);
    // The changes that were reported last are fetched too.
    expect(asked()).toBe(13);
    await jest.advanceTimersByTimeAsync(PAUSE_MS * 3);
    expect(asked()).toBe(13);
  });

  it('applies pending changes when the window is hidden', async () => {
    await begin();
    await store.dispatch(selfApi.endpoints.getSelf.initiate());
    line(0).changed('user');
    await waitFor(() => expect(network.of('GET', '/api/user/self')).toHaveLength(2));
    // The line is read in order: when the second change was heard, the first waits.
    line(0).changed('user');
    line(0).changed('channels');
    await waitFor(() => expect(selectHeardAt(store.getState(), 'channels')).toBeGreaterThan(0));
    expect(network.of('GET', '/api/user/self')).toHaveLength(2);
    show('hidden');
    await waitFor(() => expect(network.of('GET', '/api/user/self')).toHaveLength(3));
  });

  it('reads messages split over chunks, and ignores unknown ones', async () => {
    await begin();
    line(0).say('data: {"chan');
    line(0).say('ged":["channels","weather"]}\n');
    line(0).say('\n:\n\ndata: {"changed":["weather"]}\n\n');
    await waitFor(() => expect(selectHeardAt(store.getState(), 'channels')).toBeGreaterThan(0));
    expect(isUp()).toBe(true);
  });

  it('closes while the window is hidden, and fetches missed changes afterwards', async () => {
    await begin();
    const clock = jest.spyOn(performance, 'now');
    const { reply } = line(0);
    show('hidden');
    expect([isUp(), opened[0]?.signal.aborted]).toEqual([false, true]);
    const now = performance.now();
    clock.mockReturnValue(now + 90_000);
    show('visible');
    await untilUp();
    expect(opened[1]?.missed).toBeGreaterThanOrEqual(90_000);
    expect(opened[1]?.missed).toBeLessThan(100_000);
    expect(reply).not.toBe(line(1).reply);
  });

  it('fetches no missed changes right after sign-in', async () => {
    stop = keepLive(store);
    const now = performance.now();
    jest.spyOn(performance, 'now').mockReturnValue(now + 3_600_000);
    store.dispatch(signedIn(person));
    await untilUp();
    expect(opened[0]?.missed).toBe(0);
  });

  it('reconnects after the server ended it, with the delay of the server', async () => {
    await begin();
    jest.useFakeTimers();
    line(0).end();
    await jest.advanceTimersByTimeAsync(0);
    expect(isUp()).toBe(false);
    await jest.advanceTimersByTimeAsync(1990);
    expect(opened).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(20);
    expect(opened).toHaveLength(2);
    await jest.advanceTimersByTimeAsync(0);
    expect(isUp()).toBe(true);
  });

  it('reconnects when no heartbeat arrives', async () => {
    jest.useFakeTimers();
    store.dispatch(signedIn(person));
    stop = keepLive(store);
    await jest.advanceTimersByTimeAsync(0);
    expect(isUp()).toBe(true);
    await jest.advanceTimersByTimeAsync(SILENCE_MS - 10);
    line(0).say(':\n\n');
    await jest.advanceTimersByTimeAsync(20);
    expect(opened[0]?.signal.aborted).toBe(false);
    await jest.advanceTimersByTimeAsync(SILENCE_MS);
    expect([isUp(), opened[0]?.signal.aborted]).toEqual([false, true]);
    await jest.advanceTimersByTimeAsync(2000);
    expect([isUp(), opened.length]).toEqual([true, 2]);
  });

  it('retries with growing delays, reports the loss after a minute, and retries at once when the network is back', async () => {
    lines = Array.from({ length: 8 }, () => json({ success: false }, 503));
    jest.useFakeTimers();
    store.dispatch(signedIn(person));
    stop = keepLive(store);
    await jest.advanceTimersByTimeAsync(59_000);
    // Attempts at once and after 2, 4, 8 and 16 seconds; the wait of 32 seconds is not over.
    expect(opened).toHaveLength(5);
    expect([isUp(), selectLiveLost(store.getState())]).toEqual([false, false]);
    await jest.advanceTimersByTimeAsync(2000);
    expect(selectLiveLost(store.getState())).toBe(true);
    lines = [];
    opened = [];
    window.dispatchEvent(new Event('online'));
    await jest.advanceTimersByTimeAsync(0);
    expect(opened).toHaveLength(1);
    expect([isUp(), selectLiveLost(store.getState())]).toEqual([true, false]);
  });

  it('checks the session when the server refuses the stream', async () => {
    await begin();
    const self = store.dispatch(selfApi.endpoints.getSelf.initiate());
    await self;
    lines[1] = json({ success: false }, 401);
    jest.useFakeTimers();
    line(0).end();
    await jest.advanceTimersByTimeAsync(3000);
    expect(opened).toHaveLength(2);
    expect(network.of('GET', '/api/user/self')).toHaveLength(2);
  });
});

describe('the delay before the next retry', () => {
  it('grows to a minute, follows the hint of the server, and differs between windows', () => {
    expect([0, 1, 2, 20].map((failures) => retryDelay(failures))).toEqual([1000, 2000, 4000, 60_000]);
    expect(retryDelay(0, 30_000)).toBe(30_000);
    jest.spyOn(Math, 'random').mockReturnValue(0);
    expect(retryDelay(0)).toBe(500);
    jest.spyOn(Math, 'random').mockReturnValue(0.999);
    expect(retryDelay(0)).toBeCloseTo(1499, 0);
  });
});
