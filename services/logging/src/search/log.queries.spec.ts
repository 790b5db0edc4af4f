import { describe, expect, it } from '@jest/globals';
import type { LogStore } from '../store/log-store.js';
import { LogQueries } from './log.queries.js';

describe('the search of the log', () => {
  it('fails when one of its two queries fails, without an unhandled rejection of the other', async () => {
    const store = {
      newest: () => Promise.reject(new Error('the database is away')),
      startingWith: () => new Promise<never>(() => undefined),
    } as Partial<LogStore> as LogStore;
    await expect(new LogQueries(store).search('3')).rejects.toThrow('the database is away');
  });
});
