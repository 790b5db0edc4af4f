import { describe, expect, it } from '@jest/globals';
import type { PriceDocument } from '@tollgate/contracts';
import { PriceCache } from './price-cache.js';

const document: PriceDocument = {
  id: 'prices',
  modelRatio: { m: 1, mg: 2 },
  completionRatio: {},
  modelPrice: {},
  cacheRatio: {},
  imageRatio: {},
  groupRatio: { g: 3, gg: 5, 'g\n': 7 },
  groupGroupRatio: { u: { g: 11 }, '': { g: 13 } },
  realtimeAudioRatio: 17,
  quotaPerUnit: 500_000,
};

describe('PriceCache', () => {
  it('returns the same object for equal requests, also where there is no price', () => {
    const cache = new PriceCache(document, 10);
    const first = cache.find('m', 'g', { acceptUnset: false });
    expect(first).toMatchObject({ modelRatio: 1, groupRatio: 3 });
    expect(cache.find('m', 'g', { acceptUnset: false })).toBe(first);
    expect(cache.find('unknown', 'g', { acceptUnset: false })).toBeUndefined();
    expect(cache.find('unknown', 'g', { acceptUnset: false })).toBeUndefined();
  });

  it('confuses no two requests whose names give the same text together', () => {
    const cache = new PriceCache(document, 100);
    const ratiosOf = (model: string, group: string, wanted = {}) => {
      const price = cache.find(model, group, { acceptUnset: false, ...wanted });
      return [price?.modelRatio, price?.groupRatio];
    };
    expect(ratiosOf('m', 'gg')).toEqual([1, 5]);
    expect(ratiosOf('mg', 'g')).toEqual([2, 3]);
    expect(ratiosOf('m', 'g', { userGroup: '\n' })).toEqual([1, 3]);
    expect(ratiosOf('m', 'g\n', { userGroup: '' })).toEqual([1, 7]);
    expect(ratiosOf('m', 'g', { userGroup: 'u' })).toEqual([1, 11]);
    expect(ratiosOf('m', 'g')).toEqual([1, 3]);
  });

  it('confuses no two requests for the same model and group that have different prices', () => {
    const cache = new PriceCache(document, 100);
    const priceOf = (model: string, wanted = {}) => cache.find(model, 'g', { acceptUnset: false, ...wanted });
    expect(priceOf('m')).toMatchObject({ groupRatio: 3 });
    expect(priceOf('m')).not.toHaveProperty('audioRatio');
    expect(priceOf('m', { isRealtime: true })).toMatchObject({ groupRatio: 3, audioRatio: 17 });
    expect(priceOf('m', { isFree: true })).toMatchObject({ groupRatio: 0 });
    expect(priceOf('m', { userGroup: '' })).toMatchObject({ groupRatio: 13 });
    expect(priceOf('unset', { acceptUnset: true })).toBeDefined();
    expect(priceOf('unset')).toBeUndefined();
  });

  it('keeps no more prices than it may', () => {
    const cache = new PriceCache(document, 1);
    const first = cache.find('m', 'g', { acceptUnset: false });
    cache.find('mg', 'g', { acceptUnset: false });
    const again = cache.find('m', 'g', { acceptUnset: false });
    expect(again).toEqual(first);
    expect(again).not.toBe(first);
  });
});
