import { describe, expect, it } from '@jest/globals';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { JsonObject } from '@tollgate/providers';
import type { Endpoint } from '../call/endpoints.js';
import { countWithin } from './count-tokens.worker.js';
import { countedPrompt, roughPrompt } from './counted-prompt.js';
import { BETWEEN_TEXTS } from './separate-texts.js';

function tokensOf(endpoint: Endpoint, json: JsonObject, model = 'gpt-4o'): number {
  const { text, added } = countedPrompt({ json, endpoint }, model);
  return added + countWithin(text.split(BETWEEN_TEXTS), 1000, (piece) => countTokens(piece)).tokens;
}

const hi = { role: 'user', content: 'hi' };
const named = { role: 'user', name: 'Ada', content: 'hi' };
const parameters = { type: 'object', properties: { place: { type: 'string' } } };
const weather = { name: 'weather', description: 'Tells the weather.', parameters };
const tool = { type: 'function', function: weather };

describe('our own count of a chat', () => {
  it.each<[string, JsonObject[], number]>([
    ['a message', [hi], 3 + 1 + 1 + 3],
    ['two messages', [{ role: 'system', content: 'hi' }, hi], 2 * (3 + 1 + 1) + 3],
    ['the name in a message', [named], 3 + 1 + 1 + (1 + countTokens('Ada')) + 3],
    ['no name where nothing is said', [{ role: 'assistant', name: 'Ada', content: null }], 3 + 1 + 3],
    [
      'each part by itself',
      [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'hi' },
            { type: 'text', text: 'hi' },
          ],
        },
      ],
      9,
    ],
    ['no id of a call', [{ role: 'tool', tool_call_id: 'call_0123456789', content: 'hi' }], 8],
  ])('counts %s', (_, messages, expected) => {
    expect(tokensOf('chat', { messages })).toBe(expected);
  });

  it('counts every tool', () => {
    const written = countTokens(`weatherTells the weather.${JSON.stringify(parameters)}`);
    expect(tokensOf('chat', { messages: [hi], tools: [tool, tool] })).toBe(8 + 2 * (8 + written));
  });

  it('frames the messages of the oldest model differently', () => {
    const oldest = 'gpt-3.5-turbo-0301';
    expect(tokensOf('chat', { messages: [hi] }, oldest)).toBe(4 + 1 + 1 + 3);
    expect(tokensOf('chat', { messages: [named] }, oldest)).toBe(4 + 1 + 1 + (countTokens('Ada') - 1) + 3);
  });

  it('never counts more than a request has bytes', () => {
    for (const messages of [[hi], [{}], [{ role: 'user' }, { content: '' }], Array<JsonObject>(50).fill({})]) {
      const body = { model: 'm', messages };
      expect(tokensOf('chat', body)).toBeLessThanOrEqual(JSON.stringify(body).length);
    }
  });
});

describe('our own count for Claude', () => {
  it.each<[string, JsonObject, number]>([
    ['a message', { messages: [hi] }, 1 + 1 + 2],
    ['the system prompt', { system: 'hi', messages: [hi] }, 5],
    ['the texts of the system prompt', { system: [{ type: 'text', text: 'hi' }], messages: [hi] }, 5],
    ['parts', { messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }] }, 4],
    [
      'a tool',
      { messages: [hi], tools: [{ name: 'weather', description: 'hi', input_schema: { type: 'object' } }] },
      4 + 1 + 1 + countTokens('{"type":"object"}') + 3,
    ],
    [
      'a call of a tool',
      {
        messages: [{ role: 'user', content: [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: { a: 1 } }] }],
      },
      1 + 1 + countTokens('{"a":1}') + 2,
    ],
    [
      'what a tool said',
      { messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'hi' }] }] },
      1 + countTokens('"hi"') + 2,
    ],
  ])('counts %s', (_, json, expected) => {
    expect(tokensOf('messages', json)).toBe(expected);
  });
});

describe('our own count of pictures in the text of an earlier answer', () => {
  const text = `Here: ![image](data:image/png;base64,iVBORw0KGgoA${'A'.repeat(5000)})!`;
  const parts = (type: string): JsonObject => ({ role: 'assistant', content: [{ type, text }] });

  it.each<[string, Endpoint, JsonObject]>([
    ['chat', 'chat', { messages: [{ role: 'assistant', content: text }] }],
    ['chat, in parts', 'chat', { messages: [parts('text')] }],
    ['messages', 'messages', { messages: [{ role: 'assistant', content: text }] }],
    ['messages, in blocks', 'messages', { messages: [parts('text')] }],
    ['responses', 'responses', { input: [{ role: 'assistant', content: text }] }],
    ['responses, in parts', 'responses', { input: [parts('output_text')] }],
  ])('has the words alone where they are not sent as text: %s', (_, endpoint, json) => {
    const counted = (convertsPictureTexts: boolean): string =>
      countedPrompt({ json, endpoint, convertsPictureTexts }, 'm').text;
    expect(counted(false)).toContain(text);
    expect(counted(true)).toContain('Here: !');
    expect(counted(true)).not.toContain('base64');
  });

  it('has what a user writes so as words', () => {
    const json = { messages: [{ role: 'user', content: text }] };
    expect(countedPrompt({ json, endpoint: 'chat', convertsPictureTexts: true }, 'm').text).toContain(text);
  });
});

describe('the rough count of a prompt', () => {
  it('is near the mark for a few words', () => {
    expect(roughPrompt({ json: { messages: [hi] }, endpoint: 'messages' }, 'm')).toBe(4);
    expect(roughPrompt({ json: { messages: [hi] }, endpoint: 'chat' }, 'gpt-4o')).toBe(8);
  });
});

describe('our own count of other prompts', () => {
  it('joins texts without separators', () => {
    expect(tokensOf('embeddings', { input: ['hel', 'lo'] })).toBe(countTokens('hello'));
    expect(tokensOf('completions', { prompt: [1, 2, 3] })).toBe(countTokens('123'));
  });

  it('counts a query and each document by itself', () => {
    const json = { query: 'hel', documents: ['lo', 'lo'] };
    expect(tokensOf('rerank', json)).toBe(countTokens('hel') + 2 * countTokens('lo'));
  });
});
