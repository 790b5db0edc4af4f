import { describe, expect, it } from '@jest/globals';
import type { AppliedPrice, Searches } from '@tollgate/contracts';
import { holdFor, rate } from '@tollgate/pricing';
import type { JsonObject } from '@tollgate/providers';
import { noUsage } from '../call/outcome.js';
import type { Endpoint } from '../call/endpoints.js';
import { contextWindow } from './context-window.js';
import { asRequested, isPlausible, usageLimits } from './plausible.js';
import { boundSentAs, requestBound } from './request-bound.js';
import { chargedSearches } from './searches.js';

const WINDOW = 131_072;
/** The price of gpt-4o in a group without a discount. */
const price: AppliedPrice = {
  ...{ modelRatio: 1.25, completionRatio: 4, groupRatio: 1, cacheRatio: 0.5, cacheCreationRatio: 1.25 },
  ...{ modelPrice: -1, quotaPerUnit: 500_000 },
  ...{ webSearch: { low: 30, medium: 35, high: 50 }, fileSearch: 2.5 },
};
const boundOf = (json: JsonObject) =>
  requestBound({ json: { input: 'x', ...json }, size: 100, endpoint: 'responses', models: ['gpt-4o'] });
const searching = boundOf({ tools: [{ type: 'web_search', search_context_size: 'low' }], max_tool_calls: 2 });

describe('searches of a request', () => {
  it('are held up to their limit, with one context window for the results', () => {
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
    const usage = asRequested(stated, searching);
    expect(usage.searches).toEqual({ web: 2, webContext: 'low' });
    expect(rate(usage, price) - rate({ ...noUsage, inputTokens: 100 }, price)).toBe(30_000);
  });

  it('are charged at most as often as held, and not at all where none were requested', () => {
    const held = (searches: Searches) => ({ prompt: { ...boundOf({}).prompt, searches } });
    expect(chargedSearches({ web: 5, file: 3 }, held({ web: 2, webContext: 'high' }))).toEqual({
      searches: { web: 2, webContext: 'high' },
    });
    expect(chargedSearches({ file: 3 }, held({ file: 10 }))).toEqual({ searches: { file: 3 } });
    expect(chargedSearches(undefined, held({ web: 2 }))).toEqual({});
    expect(asRequested({ ...noUsage, searches: { web: 5 } }, boundOf({}))).toEqual(noUsage);
  });

  it("are held where a channel runs functions with Google's tool names itself, and charged as reported", () => {
    const named = (name: string, endpoint: Endpoint, runsGoogleTools = true) =>
      requestBound({
        json: { tools: [endpoint === 'chat' ? { type: 'function', function: { name } } : { name }] },
        ...{ size: 100, endpoint, models: ['gemini-2.0-flash'], runsGoogleTools },
      });
    const plain = named('time', 'chat');
    const window = contextWindow('gemini-2.0-flash');
    for (const endpoint of ['chat', 'messages', 'responses'] as const) {
      expect(named('googleSearch', endpoint)).toMatchObject({
        prompt: { searches: { google: 10 }, textTokens: plain.prompt.textTokens + window },
        searchTokens: 10 * window,
      });
      const code = named('codeExecution', endpoint);
      expect([code.prompt.searches, code.searchTokens]).toEqual([{ google: 0 }, 10 * window]);
      expect(named('googleSearch', endpoint, false)).toEqual(plain);
    }
    const none = { tools: [{ name: 'googleSearch' }], tool_choice: { type: 'none' } };
    const unwanted = { size: 100, models: ['gemini-2.0-flash'], runsGoogleTools: true };
    expect(requestBound({ ...unwanted, json: none, endpoint: 'messages' })).toEqual(plain);
    expect(named('googleSearch', 'gemini').prompt.searches).toBeUndefined();
    const own = { json: { tools: [{ google_search: {} }] }, ...{ size: 100, models: ['gemini-2.0-flash'] } };
    expect(requestBound({ ...own, endpoint: 'gemini' })).toMatchObject({
      prompt: { searches: { google: 10 } },
      searchTokens: 10 * window,
    });
    const told = { ...noUsage, inputTokens: 9, searches: { google: 2 } };
    expect(asRequested(told, named('googleSearch', 'chat'))).toEqual(told);
    expect(asRequested({ ...told, searches: { google: 99, web: 1 } }, named('googleSearch', 'chat')).searches).toEqual({
      google: 10,
    });
    expect(asRequested({ ...noUsage, inputTokens: 9 }, named('googleSearch', 'chat'))).not.toHaveProperty('searches');
  });

  it('let an upstream state one more window for each search', () => {
    const limits = usageLimits(searching, { addedBytes: 0, receivedBytes: 100 });
    const read = (windows: number) => ({ ...noUsage, inputTokens: windows * WINDOW, outputTokens: 9 });
    expect(isPlausible(read(3), limits)).toBe(true);
    expect(isPlausible(read(4), limits)).toBe(false);
    const plain = usageLimits(boundOf({}), { addedBytes: 0, receivedBytes: 100 });
    expect(isPlausible(read(1), plain)).toBe(false);
  });
});

describe('the search of a chat', () => {
  const chat = (
    json: JsonObject,
    {
      model = 'gpt-4o',
      endpoint = 'chat',
      ...more
    }: { model?: string; endpoint?: Endpoint; unaskedAreFree?: boolean } = {},
  ) =>
    requestBound({
      json: { messages: [{ role: 'user', content: 'x' }], ...json },
      size: 100,
      endpoint,
      models: [model],
      ...more,
    });
  const stated = { ...noUsage, inputTokens: 100, outputTokens: 10 };

  it.each([
    ['low', 15_000],
    ['medium', 17_500],
    ['high', 25_000],
    ['no size that there is', 17_500],
  ])('is one for each call, at the price of a context of %s', (size, units) => {
    const bound = chat({ web_search_options: { search_context_size: size } });
    expect(bound).toMatchObject({ isSearched: true, searchTokens: WINDOW, prompt: { textTokens: 100 + WINDOW } });
    const usage = asRequested(stated, bound);
    expect(usage.searches?.web).toBe(1);
    expect(rate(usage, price) - rate(stated, price)).toBe(units);
    expect(holdFor({ ...bound.prompt, outputTokens: 10 }, price)).toBeGreaterThanOrEqual(rate(usage, price));
  });

  it('is counted for an answer that states no usage, and for one that reports more searches', () => {
    const bound = chat({ web_search_options: {} });
    expect(chargedSearches(undefined, bound)).toEqual({ searches: { web: 1, webContext: 'medium' } });
    expect(chargedSearches({ web: 9 }, bound)).toEqual({ searches: { web: 1, webContext: 'medium' } });
  });

  it('is always made by search models, in every dialect', () => {
    for (const model of ['gpt-4o-search-preview', 'gpt-4o-mini-search-preview-2025-03-11', 'gpt-5-search-api'])
      expect(chat({}, { model })).toMatchObject({ isSearched: true, prompt: { searches: { web: 1 } } });
    const bound = chat({}, { model: 'gpt-4o-search-preview', endpoint: 'messages' });
    expect(bound.prompt.searches).toEqual({ web: 1, webContext: 'medium' });
    for (const model of ['gpt-4o', 'o3-deep-research', 'gpt-4o-search-previewer'])
      expect(chat({}, { model })).not.toHaveProperty('isSearched');
    const free = chat({}, { model: 'gpt-4o-search-preview', unaskedAreFree: true });
    expect([free.prompt.searches, chargedSearches(undefined, free)]).toEqual([undefined, {}]);
    // What the search finds is read in any case.
    expect(free).toMatchObject({ isSearched: true, searchTokens: WINDOW, prompt: { textTokens: 100 + WINDOW } });
    const asked = chat({ web_search_options: {} }, { model: 'gpt-4o-search-preview', unaskedAreFree: true });
    expect(chargedSearches(undefined, asked)).toEqual({ searches: { web: 1, webContext: 'medium' } });
    expect(chat({}, { model: 'gpt-4o-search-preview', endpoint: 'embeddings' })).not.toHaveProperty('isSearched');
  });

  it('is held where some upstream model searches, and charged where the request was sent to it', () => {
    const under = (models: string[], sent: string[], json: JsonObject = {}) =>
      requestBound({ json: { messages: [], ...json }, size: 100, endpoint: 'chat', models, sent });
    const searcher = 'gpt-4o-search-preview';
    const mapped = under(['mine', 'gpt-4o', searcher], ['gpt-4o', searcher]);
    expect(mapped.prompt.searches).toEqual({ web: 1, webContext: 'medium' });
    expect(chargedSearches(undefined, boundSentAs(mapped, searcher))).toEqual({ searches: mapped.prompt.searches });
    expect(chargedSearches(undefined, boundSentAs(mapped, 'gpt-4o'))).toEqual({});
    expect(boundSentAs(mapped, 'gpt-4o')).not.toHaveProperty('searchTokens');
    const plain = under([searcher, 'gpt-4o'], ['gpt-4o']);
    expect(plain.prompt).toMatchObject({ textTokens: 100 });
    expect(plain.prompt).not.toHaveProperty('searches');
    const asked = under(['gpt-4o'], ['gpt-4o'], { web_search_options: {} });
    expect(boundSentAs(asked, 'gpt-4o')).toBe(asked);
  });

  it('costs nothing where nothing was used', () => {
    const bound = chat({ web_search_options: {} });
    expect(rate(asRequested(noUsage, bound), price)).toBe(0);
  });
});
