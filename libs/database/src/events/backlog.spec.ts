import { describe, expect, it, jest } from '@jest/globals';
import { type EventLog, exposition, Metrics, type Offsets } from '@tollgate/chassis';
import { measureLag } from './backlog.js';

describe('the backlog of a service', () => {
  it('counts how far a group is behind the log, over all partitions', async () => {
    const metrics = new Metrics('billing');
    const offsets = (...next: bigint[]): Offsets => ({ 'request-consumed': { ...next } });
    const log = {
      ends: () => Promise.resolve(offsets(10n, 7n, 5n)),
      committed: () => Promise.resolve(offsets(4n, 7n)),
    };
    measureLag(metrics, {
      eventLog: log as unknown as EventLog,
      group: 'billing',
      topicsOf: () => ['request-consumed'],
    });
    expect(await exposition([metrics])).toMatch(
      /tollgate_consumer_lag_events\{group="billing",topic="request-consumed",service="billing"\} 11\n/,
    );
  });

  it('reports for how long one partition has not progressed while others have', async () => {
    const metrics = new Metrics('channel');
    const next = [4n, 7n, 0n];
    const log = {
      ends: () => Promise.resolve({ 'request-consumed': { 0: 90n, 1: 7n, 2: 1n } }),
      committed: () => Promise.resolve({ 'request-consumed': { ...next } }),
    };
    // Measurements are cached for a second of `performance.now`, so that clock is advanced as well.
    const clock = { time: 0, monotonic: () => clock.time };
    const stalled = async (seconds: number): Promise<number> => {
      clock.time += seconds * 1000;
      jest.advanceTimersByTime(2000);
      const [, value] = /tollgate_consumer_stalled_seconds\{[^}]*\} (\S+)/.exec(await exposition([metrics])) ?? [];
      return Number(value);
    };
    jest.useFakeTimers({ doNotFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'nextTick', 'queueMicrotask'] });
    try {
      measureLag(metrics, {
        eventLog: log as unknown as EventLog,
        group: 'channel',
        topicsOf: () => ['request-consumed'],
        clock,
      });
      expect(await stalled(0)).toBe(0);
      expect(await stalled(60)).toBe(60);
      next[0] = 40n;
      expect(await stalled(60)).toBe(120);
      next[2] = 1n;
      expect(await stalled(10)).toBe(10);
      next[0] = 90n;
      expect(await stalled(600)).toBe(0);
      // Read to its end, then new records arrived.
      next[2] = 0n;
      expect(await stalled(600)).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });
});
