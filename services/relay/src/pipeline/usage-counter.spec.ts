import { describe, expect, it } from '@jest/globals';
import { Logger, Metrics } from '@tollgate/chassis';
import { noUsage } from '../call/outcome.js';
import type { Try } from '../pipeline/try.js';
import type { TokenCounter } from '../usage/token-counter.js';
import { type Counted, UsageCounter, withinToldLimit } from './usage-counter.js';

const counted = (outputTokens: number): Counted => ({ usage: { ...noUsage, outputTokens }, usageSource: 'estimated' });
const told = (outputLimit: number | undefined, choices = 1) => ({
  granted: { bound: { choices }, ...(outputLimit !== undefined && { outputLimit }) },
});

describe('our own count of an answer', () => {
  it.each([
    ['stands where no limit was told', 1276, told(undefined), 1276],
    ['stands below the limit', 600, told(638), 600],
    ['ends at the limit, because tokenizers differ', 1276, told(638), 638],
    ['ends at the limit of all answers', 1500, told(500, 2), 1000],
  ])('%s', (_, tokens, current, expected) => {
    expect(withinToldLimit(counted(tokens), current)).toEqual(counted(expected));
  });
});

describe('writes to a cache of an hour', () => {
  const stated = { ...noUsage, cacheWriteTokens: 50, cacheWriteHourTokens: 40 };
  const price = { modelRatio: 1, completionRatio: 1, groupRatio: 1, cacheRatio: 1, cacheCreationRatio: 1.25 };
  const asking = (hourCache: boolean) =>
    ({
      call: { bytes: Buffer.alloc(100) },
      request: {},
      granted: {
        bound: {
          prompt: { textTokens: 100, imageTokens: 0, audioTokens: 0, hourCache },
          choices: 1,
          limit: 0,
          maximum: 9,
          predicted: 0,
        },
        terms: { price: { ...price, modelPrice: -1, quotaPerUnit: 500_000 } },
      },
    }) as unknown as Try;

  it.each([
    [true, 40],
    [false, undefined],
  ])('are charged as such only if they were asked for and so held (%p)', async (isAsked, expected) => {
    const counter = new UsageCounter({} as TokenCounter, Logger.root('silent'), new Metrics('relay'));
    const { usage } = await counter.measure(asking(isAsked), {
      stated,
      received: 10,
      text: () => ({ text: '', droppedBytes: 0, toolCalls: 0 }),
    });
    expect([usage.cacheWriteTokens, usage.cacheWriteHourTokens]).toEqual([50, expected]);
  });
});
