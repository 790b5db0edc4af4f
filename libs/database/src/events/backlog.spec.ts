import { describe, expect, it } from '@jest/globals';
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
    measureLag(metrics, log as unknown as EventLog, 'billing', () => ['request-consumed']);
    expect(await exposition([metrics])).toMatch(
      /tollgate_consumer_lag_events\{group="billing",topic="request-consumed",service="billing"\} 11\n/,
    );
  });
});
