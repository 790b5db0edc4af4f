import { LRUCache } from 'lru-cache';

export interface GrowingCacheOptions<K, V> {
  /** Entries; beyond them the one that was used longest ago goes. */
  most: number;
  /** Milliseconds that an entry counts; absent: until it is pushed out. */
  ttl?: number;
  /** Is told of every entry that goes or is replaced. */
  dispose?(value: V, key: K): void;
}

/**
 * A bounded cache that takes memory as it fills. `LRUCache` with `max` sets it aside for all entries at once, 5 MB for 100 000 with a time
 * to live, in every process, whether it ever knows that many or not.
 */
export const growingCache = <K extends {}, V extends {}>({
  most,
  ...options
}: GrowingCacheOptions<K, V>): LRUCache<K, V> =>
  new LRUCache<K, V>({ ...options, maxSize: most, sizeCalculation: () => 1 });
