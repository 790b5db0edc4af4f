import { beforeEach, describe, expect, it } from '@jest/globals';
import type { PriceDocument } from '@tollgate/contracts';
import { Clock, type InternalClient, Logger } from '@tollgate/chassis';
import { PriceVersions } from './price-versions.js';

class TestClock extends Clock {
  time = 0;
  override monotonic(): number {
    return this.time;
  }
}

describe('PriceVersions', () => {
  const known = new Map<string, PriceDocument>();
  let asked: string[];
  let clock: TestClock;
  let prices: PriceVersions;

  beforeEach(() => {
    known.clear();
    known.set('v1', { id: 'v1' } as PriceDocument);
    asked = [];
    clock = new TestClock();
    const call = (_: unknown, { id }: { id: string }): Promise<unknown> => {
      asked.push(id);
      return Promise.resolve({ revision: 1, document: known.get(id) ?? null });
    };
    prices = new PriceVersions({ call } as unknown as InternalClient, clock, Logger.root('silent'));
  });

  it('fetches each version once', async () => {
    expect((await prices.find(['v1', 'v1'])).get('v1')?.id).toBe('v1');
    await prices.find(['v1']);
    expect(asked).toEqual(['v1']);
  });

  it('delays rows while their version is unknown, for a minute at most', async () => {
    await expect(prices.find(['v1', 'v2'])).rejects.toMatchObject({ kind: 'unavailable' });
    clock.time = 59_999;
    await expect(prices.find(['v2'])).rejects.toMatchObject({ kind: 'unavailable' });
    clock.time = 60_000;
    expect([...(await prices.find(['v1', 'v2'])).keys()]).toEqual(['v1']);
    known.set('v2', { id: 'v2' } as PriceDocument);
    expect((await prices.find(['v2'])).has('v2')).toBe(true);
  });

  it('starts the minute again after an unknown version became known', async () => {
    await expect(prices.find(['v2'])).rejects.toThrow();
    known.set('v2', { id: 'v2' } as PriceDocument);
    await prices.find(['v2']);
    clock.time = 100_000;
    await expect(prices.find(['v3'])).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
