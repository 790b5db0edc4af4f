import { describe, expect, it } from '@jest/globals';
import { type PriceDocument, requestConsumed } from '@tollgate/contracts';
import { toEnvelope } from '@tollgate/chassis';
import { readPrices, Rerating } from './rerating.js';

const prices: PriceDocument = {
  id: 'v1',
  modelRatio: { 'gpt-4o': 1.25 },
  completionRatio: {},
  modelPrice: {},
  cacheRatio: {},
  imageRatio: {},
  groupRatio: { default: 1 },
  quotaPerUnit: 500_000,
};

const recordOf = (inputTokens: number) => {
  const event = toEnvelope(requestConsumed, 'relay', {
    ...{ userId: 2, tokenId: 0, channelId: 1, model: 'gpt-4o', group: 'default', endpoint: 'chat', priceVersion: 'v1' },
    usage: { semantics: 'openai', inputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 },
    ...{ usageSource: 'upstream', quota: 125, outcome: 'completed', attempts: [], replicaEpoch: 'e', isStream: false },
    ...{ startedAt: '2026-11-21T03:00:00.000Z', durationMs: 5 },
  });
  const record = { partition: 0, offset: 0n, key: '2', value: JSON.stringify(event), appendedAt: 0 };
  return { id: event.id, record };
};

describe('rating again', () => {
  it('lists a request whose usage costs more than the safe integers, and rates all others', async () => {
    const [altered, honest] = [recordOf(Number.MAX_SAFE_INTEGER), recordOf(100)];
    const rerating = new Rerating({
      ...{ from: 0, to: Infinity, documents: new Map([['v1', prices]]) },
      bookedOf: (ids) => Promise.resolve(new Map(ids.map((id) => [id, 125]))),
    });
    await rerating.take([altered.record, honest.record]);
    expect(rerating).toMatchObject({
      unpriced: [altered.id],
      differences: [],
      total: { requests: 1, charged: 125, rerated: 125 },
    });
  });

  it('counts a request once, also where one copy of its event writes the id in capitals', async () => {
    const { id, record } = recordOf(100);
    const rerating = new Rerating({
      ...{ from: 0, to: Infinity, documents: new Map([['v1', prices]]) },
      bookedOf: (ids) => Promise.resolve(new Map(ids.map((name) => [name.toLowerCase(), 125]))),
    });
    await rerating.take([record]);
    await rerating.take([{ ...record, value: record.value.replace(id, id.toUpperCase()) }]);
    expect(rerating.total).toEqual({ requests: 1, charged: 125, rerated: 125 });
  });
});

describe('prices of a file', () => {
  const { id: _, ...document } = prices;
  const read = (change: object) => readPrices(JSON.stringify({ ...document, ...change }));

  it('are those of a document', () => {
    expect(read({})).toEqual({ id: 'file', ...document });
  });

  it.each([
    ['a ratio below zero', { modelRatio: { 'gpt-4o': -1 } }],
    ['a ratio of a group below zero', { groupRatio: { default: -2 } }],
    ['a ratio of a group in a group below zero', { groupGroupRatio: { a: { b: -2 } } }],
    ['a price beyond all that can be saved', { modelPrice: { 'gpt-4o': 1_000_001 } }],
    ['a price of sound below zero', { realtimeAudioRatio: -1 }],
    ['no units of a dollar', { quotaPerUnit: 0 }],
  ])('may not have %s', (__, change) => {
    expect(() => read(change)).toThrow(/no document of prices/);
  });
});
