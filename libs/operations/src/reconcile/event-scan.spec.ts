import { describe, expect, it } from '@jest/globals';
import type { Client } from 'pg';
import { scanEvents } from './event-scan.js';

describe('scanEvents', () => {
  it('lists the first thousand faults of a log and counts the others', async () => {
    const client = { query: () => Promise.resolve({ rows: [] }) } as unknown as Client;
    const spoilt = (offset: number) => ({
      ...{ partition: 0, offset: BigInt(offset), key: '1', value: 'no JSON', appendedAt: 0 },
    });
    const scan = await scanEvents({
      ...{ client, period: { from: 0, to: Infinity }, rate: () => undefined, isDense: true },
      read: async (_, handle) => {
        for (let batch = 0; batch < 3; batch += 1)
          await handle(Array.from({ length: 1_000 }, (__, at) => spoilt(batch * 1_000 + at)));
      },
    });
    expect([scan.faults.length, scan.unlisted]).toEqual([1_000, 2_000]);
    expect(scan.faults[0]).toMatchObject({ subject: 'offset 0 of partition 0', expected: 'an event of the contract' });
  });
});
