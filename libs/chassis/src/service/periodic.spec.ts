import { afterEach, describe, expect, it } from '@jest/globals';
import { Logger } from '../log/logger.js';
import { currentRequestId, inRequest } from '../context/request-scope.js';
import { Lifecycle } from './lifecycle.js';
import { periodically } from './periodic.js';

describe('a periodic task', () => {
  const lifecycle = new Lifecycle();
  afterEach(() => lifecycle.drain());

  it('runs in the context of no request, not even of the one that triggers it', async () => {
    const seen: (string | undefined)[] = [];
    const runs = Promise.withResolvers<void>();
    const kick = periodically({ lifecycle, logger: Logger.root('silent') }, 'task', 1, () => {
      seen.push(currentRequestId());
      if (seen.length === 4) runs.resolve();
      return Promise.resolve();
    });
    inRequest({ id: 'r-1' }, kick);
    await runs.promise;
    expect(seen).toEqual([undefined, undefined, undefined, undefined]);
  });
});
