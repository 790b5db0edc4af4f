import { describe, expect, it } from '@jest/globals';
import { chatRequestSchema } from '@tollgate/contracts/api/chat';
import type { JsonObject } from '@tollgate/providers';
import fc from 'fast-check';
import type { Refusal } from '../call/refusal.js';
import { checkRequest, isPlainChat } from '../body/text-request.js';

const some = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 4, arbitrary: value }, { weight: 1, arbitrary: fc.jsonValue() });
const count = some(fc.oneof(fc.nat(), fc.constantFrom(0, -1, 0.5, 2 ** 30 - 1, 2 ** 30, 2 ** 53)));
const request = fc.record(
  {
    model: some(fc.constantFrom('gpt-4o', '')),
    messages: some(fc.array(fc.oneof(fc.constant({ role: 'user', content: 'hi' }), fc.jsonValue()), { maxLength: 3 })),
    stream: some(fc.boolean()),
    stream_options: some(fc.constant({ include_usage: true })),
    max_tokens: count,
    max_completion_tokens: count,
    n: count,
    best_of: count,
    temperature: fc.jsonValue(),
  },
  { requiredKeys: [] },
);

describe('checkRequest', () => {
  const paramOf = (endpoint: 'embeddings' | 'completions' | 'chat', json: JsonObject): unknown => {
    const messages = [{ role: 'user', content: 'x' }];
    const about = { embeddings: { input: 'x' }, completions: { prompt: 'x' }, chat: { messages } }[endpoint];
    try {
      checkRequest({ json: { model: 'm', ...about, ...json }, endpoint });
      return undefined;
    } catch (error) {
      const { status, error: told, message } = error as Refusal;
      return [status, told.param, message];
    }
  };

  it.each([-1, 0, 1.5, '3'])('knows no embedding of %j dimensions', (dimensions) =>
    expect(paramOf('embeddings', { dimensions })).toEqual([400, 'dimensions', 'dimensions is invalid']),
  );

  it.each(['zork', 5])('knows no encoding %j', (format) =>
    expect(paramOf('embeddings', { encoding_format: format })).toEqual([
      ...[400, 'encoding_format', 'encoding_format is invalid'],
    ]),
  );

  it.each<[string, JsonObject]>([
    ['n', { n: 0 }],
    ['best_of', { best_of: 1, n: 2 }],
    ['best_of', { best_of: 0 }],
    ['logprobs', { logprobs: -1 }],
    ['stop', { stop: 5 }],
    ['stop', { stop: [5] }],
    ['suffix', { suffix: 5 }],
    ['echo', { echo: 5 }],
  ])('refuses a completion for its %s: %j', (param, json) =>
    expect(paramOf('completions', json)).toEqual([400, param, expect.stringContaining(`${param} is invalid`)]),
  );

  it('refuses a search of a chat by its path', () => {
    const path = 'web_search_options.search_context_size';
    const text = `field ${path} is invalid: low, medium or high is expected`;
    expect(paramOf('chat', { web_search_options: { search_context_size: 'zork' } })).toEqual([400, path, text]);
    for (const options of [[], 'x', 0]) {
      const said = 'field web_search_options is invalid: an object is expected';
      expect(paramOf('chat', { web_search_options: options })).toEqual([400, 'web_search_options', said]);
    }
  });

  it('lets pass what is well', () => {
    for (const json of [
      { dimensions: 256, encoding_format: 'base64' },
      { dimensions: null, encoding_format: null },
    ])
      expect(paramOf('embeddings', json)).toBeUndefined();
    const asked = { n: 2, best_of: 2, logprobs: 0, stop: ['a', 'b'], suffix: '', echo: true };
    for (const json of [asked, { stop: 'a', n: 3 }, { n: null, best_of: null, stop: null, logprobs: null }])
      expect(paramOf('completions', json)).toBeUndefined();
    expect(paramOf('chat', { web_search_options: { search_context_size: 'high' } })).toBeUndefined();
  });
});

describe('isPlainChat', () => {
  it('knows the requests of every day', () => {
    const messages = [{ role: 'user', content: 'hi' }];
    expect(isPlainChat({ model: 'gpt-4o', messages, stream: true, max_tokens: 200, temperature: 0.7 })).toBe(true);
    expect(isPlainChat({ model: 'gpt-4o', messages, n: 2 })).toBe(false);
  });

  it('lets nothing pass that the schema refuses', () => {
    fc.assert(
      fc.property(request, (json) => {
        const isValid = chatRequestSchema.safeParse(json).success;
        expect(isValid || !isPlainChat(json as JsonObject)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });
});
