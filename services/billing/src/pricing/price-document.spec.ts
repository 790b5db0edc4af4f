import { describe, expect, it } from '@jest/globals';
import { changesPrices } from '@tollgate/contracts';
import type { OptionStore } from '@tollgate/chassis';
import { priceDocumentOf } from './price-document.js';
import { idOfStored } from './price-id.js';

const optionsWith = (modelRatio: Record<string, number>): Pick<OptionStore, 'get'> => ({
  get: ((key: string) =>
    key === 'QuotaPerUnit' ? 500_000 : key === 'ModelRatio' ? modelRatio : {}) as OptionStore['get'],
});

describe('priceDocumentOf', () => {
  it('gives equal prices one id, in whatever order they were entered', () => {
    const first = priceDocumentOf(optionsWith({ a: 1, b: 2 }));
    expect(priceDocumentOf(optionsWith({ b: 2, a: 1 }))).toEqual(first);
    expect(priceDocumentOf(optionsWith({ a: 1, b: 2.5 })).id).not.toBe(first.id);
  });
  it('has an id that follows from the document in whatever order it is stored', () => {
    const { id, ...tables } = priceDocumentOf(optionsWith({ a: 1, b: 2.5, '10': 3, '9': 1e21 }));
    const shuffled = Object.fromEntries(
      Object.entries({ ...tables, modelRatio: { b: 2.5, '9': 1e21, a: 1, '10': 3 } }).reverse(),
    );
    const stored = JSON.parse(JSON.stringify(shuffled)) as Record<string, unknown>;
    expect(idOfStored(stored)).toBe(id);
    expect(idOfStored({ ...stored, modelRatio: { a: 1, b: 2 } })).not.toBe(id);
    expect(idOfStored({ ...stored, more: {} })).not.toBe(id);
    expect(idOfStored({})).not.toBe(id);
  });
  it('treats ratios between groups alike in any order', () => {
    const ratios = { b: { y: 1, x: 2 }, a: { z: 3 } };
    const get = ((key: string) =>
      key === 'QuotaPerUnit' ? 1 : key === 'GroupGroupRatio' ? ratios : {}) as OptionStore['get'];
    const { id, ...tables } = priceDocumentOf({ get });
    expect(idOfStored({ ...tables, groupGroupRatio: { a: { z: 3 }, b: { x: 2, y: 1 } } })).toBe(id);
  });
  it('is changed by pricing options only', () => {
    expect(changesPrices('CacheRatio')).toBe(true);
    expect(changesPrices('UserUsableGroups')).toBe(false);
  });
});
