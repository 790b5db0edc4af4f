import { describe, expect, it } from '@jest/globals';
import { contextWindow, largestWindow } from './context-window.js';
import { requestBound } from './request-bound.js';

describe('the context window of a model', () => {
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

  it.each([
    [{ input: 'x' }, 0],
    [{ input: [{ role: 'user', content: 'x' }] }, 0],
    [{ input: [{ type: 'reasoning', id: 'rs_1', summary: [] }] }, 0],
    [{ input: 'x', previous_response_id: 'resp_1' }, 8192],
    [{ input: 'x', conversation: { id: 'conv_1' } }, 8192],
    [{ prompt: { id: 'pmpt_1' } }, 8192],
    [{ input: [{ type: 'item_reference', id: 'msg_1' }] }, 8192],
    [{ input: [{ role: 'user', content: 'x' }, { id: 'msg_1' }] }, 8192],
  ])('bounds a response that reads data stored at the upstream: %j', (json, window) => {
    const { textTokens } = requestBound({ json, size: 100, endpoint: 'responses', models: ['gpt-4'] }).prompt;
    expect(textTokens).toBe(100 + window);
  });

  it('is the largest of all names', () => {
    expect(largestWindow(['gpt-4', 'o1'])).toBe(200_000);
  });
});
