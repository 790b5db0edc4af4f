import { describe, expect, it } from '@jest/globals';
import { totalOf } from './paging.js';

const counted = (): Promise<number> => Promise.resolve(99);
const never = (): Promise<number> => Promise.reject(new Error('nobody should count'));

describe('totalOf', () => {
  it.each([
    ['an only page', 3, { page: 1, size: 10 }, 3],
    ['no row at all', 0, { page: 1, size: 10 }, 0],
    ['a last page', 4, { page: 3, size: 10 }, 24],
  ])('says the total of %s without a count', async (_, found, query, total) => {
    expect(await totalOf(found, query, never)).toBe(total);
  });

  it.each([
    ['a full page', 10, { page: 1, size: 10 }],
    ['a page behind the last one', 0, { page: 4, size: 10 }],
  ])('counts for %s', async (_, found, query) => {
    expect(await totalOf(found, query, counted)).toBe(99);
  });
});
