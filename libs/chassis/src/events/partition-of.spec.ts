import { describe, expect, it } from '@jest/globals';
import { partitionOf } from './partition-of.js';

describe('partitionOf', () => {
  it('gives a key the same partition in every release', () => {
    expect(['1', '2', '42', 'price', '选项'].map((key) => partitionOf(key, 12))).toEqual([4, 1, 11, 10, 8]);
  });

  it('spreads consecutive ids over all partitions', () => {
    const used = new Set(Array.from({ length: 200 }, (_, id) => partitionOf(String(id), 12)));
    expect(used.size).toBe(12);
  });
});
