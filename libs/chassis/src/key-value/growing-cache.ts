import { LRUCache } from 'lru-cache';

interface GrowingCacheOptions<K, V> {
  /** Largest number of entries; beyond it the least recently used entry is evicted. */
  most: number;
  /** Lifetime of an entry in milliseconds; without it an entry stays until it is evicted. */
  ttl?: number;
  /** Called for every entry that is removed or replaced. */
  dispose?(value: V, key: K): void;
}

/**
 * A bounded cache that allocates memory as it fills. `LRUCache` with `max` allocates for all entries up front: 5 MB for 100 000 entries
 * with a TTL, in every process, however few it holds.
 */
export const growingCache = <K extends {}, V extends {}>({
  most,
  ...options
}: GrowingCacheOptions<K, V>): LRUCache<K, V> =>
  new LRUCache<K, V>({ ...options, maxSize: most, sizeCalculation: () => 1 });
