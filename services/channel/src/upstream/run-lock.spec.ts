import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { MemoryKeyValue } from '@tollgate/chassis';
import { interrupted } from '@tollgate/testing';
import { RunLock } from './run-lock.js';

describe('RunLock', () => {
  let ms = 0;
  let store: MemoryKeyValue;

  beforeEach(() => {
    jest.useFakeTimers();
    store = new MemoryKeyValue({ now: () => ms });
  });
  afterEach(() => void jest.useRealTimers());

  it('is renewed until its holder releases it', async () => {
    const lock = await RunLock.take(store, 'run');
    for (let round = 0; round < 6; round += 1) {
      ms += 10_000;
      await jest.advanceTimersByTimeAsync(10_000);
      expect(await RunLock.take(store, 'run')).toBeUndefined();
    }
    expect(lock?.isHeld).toBe(true);
    await lock?.release();
    expect(await RunLock.take(store, 'run')).toBeDefined();
  });

  // The first command took the lock.
  it.each([2, 3, 4, 5])('has one holder when it expires before command %i and another process takes it', async (at) => {
    let next: RunLock | undefined;
    const lapse = async (): Promise<void> => {
      ms += 31_000;
      next = await RunLock.take(store, 'run');
    };
    const lock = await RunLock.take(interrupted(store, at, lapse), 'run');
    await jest.advanceTimersByTimeAsync(10_000);
    await lock?.release();
    // If the lock did not lapse, it is free now.
    next ??= await RunLock.take(store, 'run');
    expect(next).toBeDefined();
    expect(await RunLock.take(store, 'run')).toBeUndefined();
    expect(lock?.isHeld).toBe(false);
  });
});
