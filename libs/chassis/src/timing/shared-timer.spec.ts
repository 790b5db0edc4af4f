import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { currentRequestId, inRequest } from '../context/request-scope.js';
import { afterInterval, intervalOver } from './shared-timer.js';

describe('tasks of the same interval', () => {
  beforeEach(() => void jest.useFakeTimers({ now: 0 }));
  afterEach(() => void jest.useRealTimers());

  /** Moves the clock to a place within a second of the process. */
  const moveTo = (ms: number): void => void jest.advanceTimersByTime((1000 + ms - (performance.now() % 1000)) % 1000);
  const timed = (ms: number, tookMs?: number): (() => number) => {
    const startedAt = performance.now();
    let after = NaN;
    afterInterval(() => (after = performance.now() - startedAt), ms, tookMs);
    return () => after;
  };

  it('run together, and none later than its interval', () => {
    moveTo(5);
    const timers = jest.spyOn(globalThis, 'setTimeout');
    const first = timed(1000);
    jest.advanceTimersByTime(300);
    const second = timed(1000);
    const third = timed(5000);
    jest.advanceTimersByTime(700);
    expect([first(), second(), third()]).toEqual([995, 695, NaN]);
    jest.advanceTimersByTime(4000);
    expect(third()).toBe(4695);
    expect(timers).toHaveBeenCalledTimes(2);
    timers.mockRestore();
  });

  it('are called once a second when a timer fires a little early', () => {
    moveTo(998);
    const next = timed(1000);
    jest.advanceTimersByTime(100);
    expect(next()).toBeNaN();
    jest.advanceTimersByTime(1000);
    expect(next()).toBe(1002);
  });

  it('keep their whole pause when they are slow, and intervals below a second as they are', () => {
    moveTo(400);
    const slow = timed(1000, 300);
    const short = timed(100);
    jest.advanceTimersByTime(100);
    expect(short()).toBe(100);
    jest.advanceTimersByTime(1000);
    expect(slow()).toBe(1000);
  });

  it('run although another of the same second throws, whose error is not hidden', () => {
    const thrown: unknown[] = [];
    const later = jest.spyOn(globalThis, 'queueMicrotask').mockImplementation((report) => {
      try {
        report();
      } catch (error) {
        thrown.push(error);
      }
    });
    const called: string[] = [];
    afterInterval(() => {
      throw new Error('of one');
    }, 1000);
    afterInterval(() => called.push('the other'), 1000);
    jest.advanceTimersByTime(1000);
    expect([called, thrown]).toEqual([['the other'], [new Error('of one')]]);
    later.mockRestore();
  });

  it('can be cancelled each, and leave no timer behind', () => {
    const called: string[] = [];
    const cancels = ['a', 'b'].map((name) => afterInterval(() => called.push(name), 2000));
    cancels[0]?.();
    jest.advanceTimersByTime(2000);
    expect(called).toEqual(['b']);
    afterInterval(() => called.push('c'), 2000)();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('run in the context of no request', () => {
    const seen: (string | undefined)[] = [];
    inRequest({ id: 'r-1' }, () => void afterInterval(() => seen.push(currentRequestId()), 1000));
    afterInterval(() => seen.push(currentRequestId()), 1000);
    jest.advanceTimersByTime(1000);
    expect(seen).toEqual([undefined, undefined]);
  });

  it('are awaited until the interval is over or a signal says so', async () => {
    const wake = new AbortController();
    const over: string[] = [];
    void intervalOver(3000, wake.signal).then(() => over.push('signal'));
    void intervalOver(2000, new AbortController().signal).then(() => over.push('time'));
    await jest.advanceTimersByTimeAsync(100);
    expect(over).toEqual([]);
    wake.abort();
    await jest.advanceTimersByTimeAsync(0);
    expect(over).toEqual(['signal']);
    await intervalOver(3000, wake.signal);
    await jest.advanceTimersByTimeAsync(2000);
    expect(over).toEqual(['signal', 'time']);
    expect(jest.getTimerCount()).toBe(0);
  });
});
