import { describe, expect, it } from '@jest/globals';
import { growingCache } from './growing-cache.js';

const MB = 1024 * 1024;

describe('growingCache', () => {
  it('keeps as many entries as it may, those that were used last', () => {
    const gone: string[] = [];
    const cache = growingCache<string, number>({ most: 3, dispose: (_, key) => void gone.push(key) });
    for (const key of ['a', 'b', 'c']) cache.set(key, 1);
    cache.get('a');
    cache.set('d', 1);
    expect([...cache.keys()].sort()).toEqual(['a', 'c', 'd']);
    expect(gone).toEqual(['b']);
    expect(cache.size).toBe(3);
  });

  it('takes no room before it has entries', () => {
    const heldNow = (): number => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
    const before = heldNow();
    const caches = Array.from({ length: 20 }, () => growingCache<string, number>({ most: 1_000_000, ttl: 1000 }));
    expect(heldNow() - before).toBeLessThan(5 * MB);
    expect(caches.every(({ size }) => size === 0)).toBe(true);
  });
});
