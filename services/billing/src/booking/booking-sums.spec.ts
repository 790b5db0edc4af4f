import { describe, expect, it } from '@jest/globals';
import { type Consumption, sumsOf } from './booking-sums.js';

const used = (inputTokens: number): Consumption['data']['usage'] => ({
  ...{ semantics: 'openai', inputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 },
});

const event = (data: Partial<Consumption['data']>): Consumption =>
  ({
    data: {
      userId: 1,
      tokenId: 0,
      quota: 1,
      outcome: 'completed',
      replicaEpoch: 'e',
      startedAt: '1970-01-01T00:00:10.000Z',
      usage: used(3),
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

  it.each<[string, Partial<Consumption['data']>, number]>([
    ['a call that used something', {}, 1],
    ['a call at a price of zero', { quota: 0 }, 1],
    ['a call that used nothing', { quota: 0, usage: used(0) }, 0],
    ['a call whose client left before anything was used', { quota: 0, usage: used(0), outcome: 'client_abort' }, 0],
    ['a failed call', { quota: 0, usage: used(0), outcome: 'failed' }, 0],
  ])('counts the requests of %s', (_, data, requests) => {
    expect(sumsOf([event(data)]).accounts).toMatchObject([{ requests }]);
  });
});
