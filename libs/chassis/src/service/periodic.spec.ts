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

  it('warns once of a failure that lasts, and not of one that the end of the service causes', async () => {
    const warnings: string[] = [];
    const logger = { warn: (text: string) => warnings.push(text), debug: () => undefined } as unknown as Logger;
    const own = new Lifecycle();
    const runs = [1, 2, 3].map(() => Promise.withResolvers<void>());
    const begun = runs.map(() => Promise.withResolvers<void>());
    let count = 0;
    periodically({ lifecycle: own, logger }, 'watch', 1, () => {
      begun[count]?.resolve();
      const outcome = runs[count]?.promise ?? Promise.resolve();
      count += 1;
      return outcome;
    });
    void own.ready();
    for (const index of [0, 1]) {
      await begun[index]?.promise;
      runs[index]?.reject(new Error('no neighbour'));
    }
    await begun[2]?.promise;
    expect(warnings).toEqual(['watch failed, will go on trying']);
    const ended = own.drain();
    runs[2]?.reject(new Error('closed'));
    await ended;
    expect(warnings).toHaveLength(1);
    expect(count).toBe(3);
  });

  it('says nothing of a first failure that comes with the end of the service', async () => {
    const warnings: string[] = [];
    const logger = { warn: (text: string) => warnings.push(text), debug: () => undefined } as unknown as Logger;
    const own = new Lifecycle();
    const run = Promise.withResolvers<void>();
    periodically({ lifecycle: own, logger }, 'watch', 1, () => run.promise);
    await own.ready();
    const ended = own.drain();
    run.reject(new Error('closed'));
    await ended;
    expect(warnings).toEqual([]);
  });
});
