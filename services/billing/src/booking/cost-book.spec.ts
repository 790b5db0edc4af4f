import { describe, expect, it, jest } from '@jest/globals';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger, OptionStore } from '@tollgate/chassis';
import type { RequestConsumed } from '@tollgate/contracts';
import type { PriceService } from '../pricing/price.service.js';
import type { Consumption } from './booking-sums.js';
import { CostBook } from './cost-book.js';

const event = (id: string, data: Partial<RequestConsumed> = {}) =>
  ({
    id,
    data: {
      ...{ channelId: 1, model: 'mistyped', group: 'default', priceVersion: 'v1', quota: 10, outcome: 'completed' },
      startedAt: '2026-11-21T03:00:00.000Z',
      usage: { semantics: 'openai', inputTokens: 1e12, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 },
      ...data,
    },
  }) as unknown as Consumption;

const since = '2026-11-01T00:00:00Z';
const rows = [
  { id: 1, channelId: 1, model: 'mistyped', terms: { input: 1_000_000, output: 0 }, since },
  { id: 2, channelId: 1, model: 'fine', terms: { input: 1, output: 0 }, since },
  { id: 3, channelId: 1, model: 'by-call', terms: { call: 0.5 }, since },
];

function book() {
  const error = jest.fn();
  const execute = jest.fn(async (_: string, [after = 0]: number[]) => rows.filter(({ id }) => id > after));
  const costs = new CostBook(
    { execute } as unknown as EntityManager,
    { find: async () => undefined } as unknown as PriceService,
    { get: () => 500_000 } as unknown as OptionStore,
    { error } as unknown as Logger,
  );
  return { costs, error };
}

describe('the costs of a batch', () => {
  it('are unknown where they cannot be computed, which is logged once, and known otherwise', async () => {
    const { costs, error } = book();
    const batch = [event('a'), event('b'), event('c', { model: 'fine' })];
    for (let round = 0; round < 2; round += 1)
      expect([...(await costs.costsOf(batch))]).toEqual([['c', { cost: 500_000_000_000, version: 2 }]]);
    expect(error.mock.calls).toHaveLength(1);
  });

  it('are 0 for failed requests, also where each call has a price', async () => {
    const { costs } = book();
    const batch = [event('a', { model: 'by-call' }), event('b', { model: 'by-call', outcome: 'failed' })];
    expect([...(await costs.costsOf(batch))]).toEqual([
      ['a', { cost: 250_000, version: 3 }],
      ['b', { cost: 0, version: null }],
    ]);
  });
});
