import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { MemoryKeyValue } from '../key-value/memory-key-value.js';
import { Logger } from '../log/logger.js';
import { Lifecycle } from './lifecycle.js';
import { followRevisions, broadcastRevisions } from './revisions.js';

const logger = Logger.root('silent');

describe('revisions', () => {
  let keyValue: MemoryKeyValue;
  let lifecycle: Lifecycle;
  let told = 0;
  let known = 0;
  let asked = 0;
  let leads = true;
  const follow = (): (() => void) =>
    followRevisions(
      { lifecycle, logger, keyValue },
      {
        owner: 'identity',
        name: 'a copy',
        isCurrent: ({ user }) => user === known,
        poll: () => {
          asked += 1;
          known = told;
          return Promise.resolve();
        },
      },
    );

  beforeEach(() => {
    jest.useFakeTimers();
    keyValue = new MemoryKeyValue();
    lifecycle = new Lifecycle();
    told = known = asked = 0;
    leads = true;
  });
  afterEach(async () => {
    await lifecycle.drain();
    await keyValue.stop();
    jest.useRealTimers();
  });

  const tell = (): void =>
    broadcastRevisions(
      { lifecycle, logger, keyValue },
      'identity',
      () => leads,
      () => Promise.resolve({ user: told }),
    );

  it('are not polled while the owner broadcasts them, and polled at once when they change', async () => {
    follow();
    tell();
    await lifecycle.ready();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(asked).toBe(1);
    told = 7;
    await jest.advanceTimersByTimeAsync(1_100);
    expect([known, asked]).toEqual([7, 2]);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(asked).toBe(2);
  });

  it('are polled once a second while there are no broadcasts', async () => {
    follow();
    tell();
    await lifecycle.ready();
    await jest.advanceTimersByTimeAsync(5_000);
    leads = false;
    told = 3;
    await jest.advanceTimersByTimeAsync(3_000);
    expect(known).toBe(3);
    asked = 0;
    await jest.advanceTimersByTimeAsync(10_000);
    expect(asked).toBeGreaterThanOrEqual(9);
  });

  it('are polled on demand', async () => {
    const askNow = follow();
    tell();
    await lifecycle.ready();
    await jest.advanceTimersByTimeAsync(1_000);
    asked = 0;
    askNow();
    await jest.advanceTimersByTimeAsync(0);
    expect(asked).toBe(1);
  });
});
