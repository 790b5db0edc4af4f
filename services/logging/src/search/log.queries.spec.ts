import { describe, expect, it } from '@jest/globals';
import type { LogStore } from '../store/log-store.js';
import { LogQueries } from './log.queries.js';

describe('the search of the log', () => {
  it('fails as soon as one of its two readings does, and leaves none unwatched', async () => {
    const store = {
      newest: () => Promise.reject(new Error('the database is away')),
      startingWith: () => new Promise<never>(() => undefined),
    } as Partial<LogStore> as LogStore;
    await expect(new LogQueries(store).search('3')).rejects.toThrow('the database is away');
  });
});
