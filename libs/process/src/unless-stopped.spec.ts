import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { unlessStopped } from './unless-stopped.js';

const toldToStop = 'told to stop before everything was started';

describe('a step of the start', () => {
  let stop: AbortController;
  beforeEach(() => {
    jest.useFakeTimers();
    stop = new AbortController();
  });
  afterEach(() => void jest.useRealTimers());

  it('does not begin when the process should stop already', async () => {
    const step = jest.fn(() => Promise.resolve());
    stop.abort();
    await expect(unlessStopped(stop.signal, step)).rejects.toThrow(toldToStop);
    expect(step).not.toHaveBeenCalled();
  });

  it('may still end when the process should stop meanwhile, but is not waited for long', async () => {
    const ended = unlessStopped(stop.signal, () => new Promise((resolve) => setTimeout(resolve, 1_000, 'done')));
    const hanging = unlessStopped(stop.signal, () => new Promise(() => undefined));
    const outcomes = Promise.allSettled([ended, hanging]);
    stop.abort();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(await outcomes).toEqual([
      { status: 'fulfilled', value: 'done' },
      { status: 'rejected', reason: new Error(toldToStop) },
    ]);
  });

  it('waits for no wish to stop after its end, whether it succeeded or failed', async () => {
    expect(await unlessStopped(stop.signal, () => Promise.resolve('done'))).toBe('done');
    await expect(unlessStopped(stop.signal, () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
    stop.abort();
    expect(jest.getTimerCount()).toBe(0);
  });
});
