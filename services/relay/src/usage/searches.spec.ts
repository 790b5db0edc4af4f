import { describe, expect, it } from '@jest/globals';
import type { AppliedPrice } from '@tollgate/contracts';
import { holdFor, rate } from '@tollgate/pricing';
import type { JsonObject } from '@tollgate/providers';
import { noUsage } from '../call/outcome.js';
import { asAsked, isPlausible, usageLimits } from './plausible.js';
import { requestBound } from './request-bound.js';
import { chargedSearches } from './searches.js';

const WINDOW = 131_072;
/** Of gpt-4o in a group without a discount. */
const price: AppliedPrice = {
  ...{ modelRatio: 1.25, completionRatio: 4, groupRatio: 1, cacheRatio: 0.5, cacheCreationRatio: 1.25 },
  ...{ modelPrice: -1, quotaPerUnit: 500_000 },
  ...{ webSearch: { low: 30, medium: 35, high: 50 }, fileSearch: 2.5 },
};
const boundOf = (json: JsonObject) =>
  requestBound({ json: { input: 'x', ...json }, size: 100, endpoint: 'responses', models: ['gpt-4o'] });
const searching = boundOf({ tools: [{ type: 'web_search', search_context_size: 'low' }], max_tool_calls: 2 });

describe('searches of a request', () => {
  it('are held as often as they are allowed, with one window of what is found', () => {
    expect(searching.prompt.searches).toEqual({ web: 2, webContext: 'low' });
    const plain = boundOf({ tools: [{ type: 'function', name: 'f' }] });
    expect(plain.prompt.searches).toBeUndefined();
    expect(searching.prompt.textTokens).toBe(plain.prompt.textTokens + WINDOW);
    const both = boundOf({ tools: [{ type: 'file_search' }], previous_response_id: 'resp_1' });
    expect(both.prompt).toMatchObject({ textTokens: plain.prompt.textTokens + WINDOW, searches: { file: 10 } });
    const used = { ...noUsage, inputTokens: searching.prompt.textTokens, outputTokens: 100 };
    const most = rate({ ...used, searches: { web: 2, webContext: 'low' } }, price);
    expect(holdFor({ ...searching.prompt, outputTokens: 100 }, price)).toBeGreaterThanOrEqual(most);
  });

  it('cost 30 000 for two of a low context', () => {
    const stated = { ...noUsage, inputTokens: 100, searches: { web: 2 } };
    const usage = asAsked(stated, searching.prompt);
    expect(usage.searches).toEqual({ web: 2, webContext: 'low' });
    expect(rate(usage, price) - rate({ ...noUsage, inputTokens: 100 }, price)).toBe(30_000);
  });

  it('are charged no more often than held, and not at all where nobody asked', () => {
    expect(chargedSearches({ web: 5, file: 3 }, { web: 2, webContext: 'high' })).toEqual({
      searches: { web: 2, webContext: 'high' },
    });
    expect(chargedSearches({ file: 3 }, { file: 10 })).toEqual({ searches: { file: 3 } });
    expect(chargedSearches(undefined, { web: 2 })).toEqual({});
    expect(asAsked({ ...noUsage, searches: { web: 5 } }, boundOf({}).prompt)).toEqual(noUsage);
  });

  it('let an upstream state a window for each beside the one that is held', () => {
    const limits = usageLimits(searching, { addedBytes: 0, receivedBytes: 100 });
    const read = (windows: number) => ({ ...noUsage, inputTokens: windows * WINDOW, outputTokens: 9 });
    expect(isPlausible(read(3), limits)).toBe(true);
    expect(isPlausible(read(4), limits)).toBe(false);
    const plain = usageLimits(boundOf({}), { addedBytes: 0, receivedBytes: 100 });
    expect(isPlausible(read(1), plain)).toBe(false);
  });
});
