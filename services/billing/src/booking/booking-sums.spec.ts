import { describe, expect, it } from '@jest/globals';
import { type Consumption, sumsOf } from './booking-sums.js';

const event = (data: Partial<Consumption['data']>): Consumption =>
  ({
    data: {
      userId: 1,
      tokenId: 0,
      quota: 1,
      outcome: 'completed',
      replicaEpoch: 'e',
      startedAt: '1970-01-01T00:00:10.000Z',
      ...data,
    },
  }) as Consumption;

describe('sumsOf', () => {
  it('adds up each balance once and sorts balances as they are locked', () => {
    const sums = sumsOf([
      event({ userId: 9, tokenId: 3, quota: 5 }),
      event({ userId: 2, quota: 1 }),
      event({ userId: 9, tokenId: 3, quota: 7, startedAt: '1970-01-01T00:00:05.000Z', replicaEpoch: 'f' }),
      event({ userId: 9, quota: 0, outcome: 'failed' }),
    ]);
    expect(sums.accounts).toEqual([
      { id: 2, spent: 1, requests: 1 },
      { id: 9, spent: 12, requests: 2 },
    ]);
    expect(sums.tokens).toEqual([{ id: 3, spent: 12, accessed: 10 }]);
    expect(sums.leases).toContainEqual({ kind: 'wallet', account_id: 9, replica_epoch: 'e', booked: 5 });
    expect(sums.leases).toContainEqual({ kind: 'token', account_id: 3, replica_epoch: 'f', booked: 7 });
  });
});
