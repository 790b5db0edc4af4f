import { describe, expect, it } from '@jest/globals';
import { chatRequestSchema } from '@tollgate/contracts/api/chat';
import type { JsonObject } from '@tollgate/providers';
import fc from 'fast-check';
import type { Refusal } from '../call/refusal.js';
import { checkRequest, isPlainChat, modelOf } from './text-request.js';

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
    temperature: some(fc.double({ noNaN: true })),
    stop: some(fc.string()),
    user: some(fc.string()),
  },
  { requiredKeys: [] },
);

describe('modelOf', () => {
  const told = (model: string | undefined, endpoint: 'chat' | 'images' | 'playground' = 'chat'): string => {
    try {
      return modelOf(model === undefined ? {} : { model }, endpoint);
    } catch (error) {
      return (error as Refusal).message;
    }
  };

  it('distinguishes a missing name from one that no channel could have', () => {
    expect([told('m'.repeat(255)).length, told(undefined, 'images')]).toEqual([255, 'dall-e']);
    expect(told(undefined)).toBe('Invalid request, 无效的请求, model is required');
    expect(told('m'.repeat(256))).toBe('Invalid request, 无效的请求, model is longer than 255 characters');
    expect([told(''), told('', 'playground')]).toEqual([told(undefined), '请选择模型']);
  });
});

describe('checkRequest', () => {
  type Checked = 'embeddings' | 'completions' | 'chat' | 'messages' | 'responses' | 'gemini' | 'speech' | 'images';
  const paramOf = (endpoint: Checked, json: JsonObject): unknown => {
    const messages = [{ role: 'user', content: 'x' }];
    const about: JsonObject = {
      ...{ embeddings: { input: 'x' }, completions: { prompt: 'x' }, chat: { messages }, messages: { messages } },
      ...{ responses: { input: 'x' }, gemini: { contents: messages }, speech: { input: 'x' }, images: { prompt: 'x' } },
    }[endpoint];
    try {
      checkRequest({ json: { model: 'm', ...about, ...json }, endpoint });
      return undefined;
    } catch (error) {
      const { status, error: told, message } = error as Refusal;
      return [status, told.param, message];
    }
  };

  it.each([-1, 0, 1.5, '3'])('refuses an embedding of %j dimensions', (dimensions) =>
    expect(paramOf('embeddings', { dimensions })).toEqual([400, 'dimensions', 'dimensions is invalid']),
  );

  it.each(['zork', 5])('refuses the encoding %j', (format) =>
    expect(paramOf('embeddings', { encoding_format: format })).toEqual([
      ...[400, 'encoding_format', 'encoding_format is invalid'],
    ]),
  );

  it.each<[Checked, string, JsonObject]>([
    ...['temperature', 'top_p', 'presence_penalty', 'frequency_penalty', 'seed'].map(
      (name): [Checked, string, JsonObject] => ['chat', name, { [name]: 'hot' }],
    ),
    ['chat', 'stop', { stop: [5] }],
    ['chat', 'logprobs', { logprobs: 3 }],
    ['chat', 'top_logprobs', { top_logprobs: -1 }],
    ['chat', 'logit_bias', { logit_bias: [1] }],
    ['chat', 'parallel_tool_calls', { parallel_tool_calls: 'yes' }],
    ['chat', 'response_format', { response_format: 'json' }],
    ['chat', 'reasoning_effort', { reasoning_effort: 5 }],
    ['chat', 'user', { user: 5 }],
    ['chat', 'n', { n: 0 }],
    ['chat', 'tool_choice', { tool_choice: 5 }],
    ['chat', 'tools.1.function.name', { tools: [{ type: 'custom' }, { type: 'function' }] }],
    ['chat', 'modalities.0', { modalities: [5] }],
    ['chat', 'audio', { audio: 5 }],
    ['chat', 'metadata', { metadata: 'x' }],
    ['chat', 'messages.1.role', { messages: [{ content: 'x' }, { role: 5, content: 'x' }] }],
    ['chat', 'messages.0.content', { messages: [{ role: 'user', content: 5 }] }],
    ['messages', 'messages.0.content', { messages: [{ role: 'user', content: {} }] }],
    ['messages', 'messages.0.role', { messages: [{ role: 3, content: 'x' }] }],
    ['messages', 'system', { system: 5 }],
    ['messages', 'temperature', { temperature: '1' }],
    ['messages', 'top_k', { top_k: 1.5 }],
    ['messages', 'stop_sequences', { stop_sequences: 'x' }],
    ['messages', 'tool_choice', { tool_choice: 'auto' }],
    ['responses', 'temperature', { temperature: 'hot' }],
    ['responses', 'instructions', { instructions: 5 }],
    ['responses', 'reasoning', { reasoning: 'high' }],
    ['gemini', 'generationConfig.temperature', { generationConfig: { temperature: 'hot' } }],
    ['gemini', 'generationConfig.stopSequences', { generationConfig: { stopSequences: 'x' } }],
    ['responses', 'include', { include: 'x' }],
    ['gemini', 'contents.0.role', { contents: [{ role: 5, parts: [] }] }],
    ['gemini', 'contents.0.parts.1.text', { contents: [{ parts: [{}, { text: 5 }] }] }],
    ['gemini', 'safetySettings', { safetySettings: 5 }],
    ['speech', 'voice', { voice: 5 }],
    ['speech', 'speed', { speed: 'fast' }],
    ['images', 'style', { style: 5 }],
    ['images', 'response_format', { response_format: 5 }],
  ])('refuses %s for its %s: %j', (endpoint, param, json) => {
    expect(paramOf(endpoint, json)).toEqual([400, param, expect.stringContaining(' is invalid')]);
  });

  it('accepts members of newer clients and other providers', () => {
    const said = { role: 'developer', content: null, name: 'x', tool_calls: [] };
    const chat = { temperature: 1, seed: 7, stop: null, verbosity: 'low', reasoning_effort: 'minimal', top_k: 5 };
    expect(paramOf('chat', { ...chat, messages: [said, { role: 'user' }], safety_identifier: 'x' })).toBeUndefined();
    expect(paramOf('messages', { thinking: { type: 'adaptive' }, system: [{ type: 'text' }] })).toBeUndefined();
    expect(paramOf('gemini', { generationConfig: { topK: '40', temperature: 0.5 } })).toBeUndefined();
    expect(paramOf('speech', { voice: { id: 'voice_1' }, speed: 1.25 })).toBeUndefined();
  });

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

  it('refuses a thread of messages before anything else, in the words by which its client goes on without', () => {
    const asked = (thread: JsonObject[string], messages: JsonObject[] = []): unknown => {
      try {
        checkRequest({ json: { model: 'm', messages, thread }, endpoint: 'messages' });
        return undefined;
      } catch (error) {
        return (error as Refusal).error;
      }
    };
    const refused = {
      ...{ type: 'invalid_request_error', param: 'thread' },
      details: { error_code: 'thread_unsupported_request' },
    };
    expect(asked({ type: 'create' })).toMatchObject(refused);
    expect(asked({ type: 'continue', previous_message_id: 'msg_1' })).toMatchObject(refused);
    expect(asked(null, [{ role: 'user', content: 'x' }])).toBeUndefined();
    expect(paramOf('chat', { thread: { type: 'create' } })).toBeUndefined();
  });

  it("refuses tools of a message that are no list in Anthropic's words", () =>
    expect(paramOf('messages', { tools: { name: 'x' } })).toEqual([
      ...[400, 'tools', 'tools: Input should be a valid list'],
    ]));

  it('refuses a search of a chat by its path', () => {
    const path = 'web_search_options.search_context_size';
    const text = `field ${path} is invalid: low, medium or high is expected`;
    expect(paramOf('chat', { web_search_options: { search_context_size: 'zork' } })).toEqual([400, path, text]);
    for (const options of [[], 'x', 0]) {
      const said = 'field web_search_options is invalid: an object is expected';
      expect(paramOf('chat', { web_search_options: options })).toEqual([400, 'web_search_options', said]);
    }
  });

  it.each([
    [0, undefined],
    [-1, [400, 'n', 'n must be between 1 and 10']],
    [11, [400, 'n', 'n must be between 1 and 10']],
  ])('checks a request for %d pictures', (n, expected) => expect(paramOf('images', { n })).toEqual(expected));

  it('accepts valid requests', () => {
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
  it('recognizes ordinary requests', () => {
    const messages = [{ role: 'user', content: 'hi' }];
    expect(isPlainChat({ model: 'gpt-4o', messages, stream: true, max_tokens: 200, temperature: 0.7 })).toBe(true);
    expect(isPlainChat({ model: 'gpt-4o', messages, n: 2 })).toBe(false);
  });

  it('accepts nothing that the schema refuses', () => {
    fc.assert(
      fc.property(request, (json) => {
        const isValid = chatRequestSchema.safeParse(json).success;
        expect(isValid || !isPlainChat(json as JsonObject)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });
});
