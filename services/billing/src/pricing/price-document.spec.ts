import { describe, expect, it } from '@jest/globals';
import { changesPrices } from '@tollgate/contracts';
import type { OptionStore } from '@tollgate/chassis';
import { priceDocumentOf } from './price-document.js';

const optionsWith = (modelRatio: Record<string, number>): Pick<OptionStore, 'get'> => ({
  get: ((key: string) =>
    key === 'QuotaPerUnit' ? 500_000 : key === 'ModelRatio' ? modelRatio : {}) as OptionStore['get'],
});

describe('priceDocumentOf', () => {
  it('gives equal prices one id, whatever the order they were typed in', () => {
    const first = priceDocumentOf(optionsWith({ a: 1, b: 2 }));
    expect(priceDocumentOf(optionsWith({ b: 2, a: 1 }))).toEqual(first);
    expect(priceDocumentOf(optionsWith({ a: 1, b: 2.5 })).id).not.toBe(first.id);
  });
  it('is changed by pricing options only', () => {
    expect(changesPrices('CacheRatio')).toBe(true);
    expect(changesPrices('UserUsableGroups')).toBe(false);
  });
});
