import { describe, expect, it } from '@jest/globals';
import { CostList, type CostRow } from './cost-list.js';

const row = (id: number, model: string, ratio: number | null, since: string): CostRow => ({
  ...{ id, channelId: 7, model, since: Date.parse(since) },
  terms: ratio === null ? null : { ratio },
});
const asked = (model: string, startedAt: string, upstreamModel?: string) => ({
  channelId: 7,
  model,
  startedAt,
  ...(upstreamModel !== undefined && { upstreamModel }),
});

describe('the list of cost prices', () => {
  const list = new CostList();
  list.add([
    row(1, '', 0.5, '2026-11-01T00:00:00Z'),
    row(2, 'gpt-4o', 0.6, '2026-11-02T00:00:00Z'),
    row(3, 'gpt-4o', 0.7, '2026-11-03T00:00:00Z'),
    row(4, 'gpt-4o', null, '2026-11-04T00:00:00Z'),
    row(5, '', null, '2026-11-05T00:00:00Z'),
  ]);
  const idFor = (model: string, at: string, sent?: string) => list.find(asked(model, at, sent))?.id;

  it('finds the version in force when a request began', () => {
    expect(idFor('gpt-4o', '2026-10-31T23:59:59Z')).toBeUndefined();
    expect(idFor('gpt-4o', '2026-11-01T12:00:00Z')).toBe(1);
    expect(idFor('gpt-4o', '2026-11-02T00:00:00Z')).toBe(2);
    expect(idFor('gpt-4o', '2026-11-03T12:00:00Z')).toBe(3);
    expect(idFor('other', '2026-11-03T12:00:00Z')).toBe(1);
  });

  it('falls back to the version for all models when a model has none any more, then to none', () => {
    expect(idFor('gpt-4o', '2026-11-04T12:00:00Z')).toBe(1);
    expect(idFor('gpt-4o', '2026-11-05T12:00:00Z')).toBeUndefined();
  });

  it('goes by the channel, and by the sent name where the requested one has no version', () => {
    expect(idFor('alias', '2026-11-03T12:00:00Z', 'gpt-4o')).toBe(3);
    expect(list.find({ ...asked('gpt-4o', '2026-11-03T12:00:00Z'), channelId: 8 })).toBeUndefined();
  });

  it('goes by the sent name where both have a version, because the provider bills by it', () => {
    const two = new CostList();
    two.add([
      row(1, 'fast', 1, '2026-11-01T00:00:00Z'),
      row(2, 'gpt-4o', 0.5, '2026-11-01T00:00:00Z'),
      row(3, 'gpt-4o-mini', 0.1, '2026-11-01T00:00:00Z'),
    ]);
    const at = '2026-11-02T00:00:00Z';
    const ids = ['gpt-4o', 'gpt-4o-mini', 'other', undefined].map((sent) => two.find(asked('fast', at, sent))?.id);
    expect(ids).toEqual([2, 3, 1, 1]);
  });

  it('adds each version once', () => {
    list.add([row(5, '', 9, '2026-11-06T00:00:00Z')]);
    expect(list.lastId).toBe(5);
    expect(idFor('other', '2026-11-07T00:00:00Z')).toBeUndefined();
  });
});
