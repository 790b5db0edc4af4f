import { describe, expect, it } from '@jest/globals';
import { contextWindow, largestWindow } from './context-window.js';
import { requestBound } from './request-bound.js';

describe('what a model can read at once', () => {
  it.each([
    ['gpt-4', 8192],
    ['gpt-4-0613', 8192],
    ['gpt-4o-mini-2024-07-18', 131_072],
    ['gpt-4.1-nano', 1_047_576],
    ['gpt-5', 400_000],
    ['gpt-5-mini', 400_000],
    ['gpt-5-chat-latest', 131_072],
    ['o3-mini', 200_000],
    ['somebody-elses', 1_050_000],
  ])('%s: %d tokens', (model, tokens) => expect(contextWindow(model)).toBe(tokens));

  it('bounds a response that goes on where an earlier one ended', () => {
    const ask = { model: 'gpt-4', input: 'x', previous_response_id: 'resp_1' };
    const bound = (json: typeof ask | { input: string }) =>
      requestBound({ json, size: 100, endpoint: 'responses', models: ['gpt-4'] }).prompt.textTokens;
    expect(bound({ input: 'x' })).toBe(100);
    expect(bound(ask)).toBe(100 + 8192);
    expect(largestWindow(['gpt-4', 'o1'])).toBe(200_000);
  });
});
