import { describe, expect, it } from '@jest/globals';
import { channelTarget, clientRequest } from '../../test/factories.js';
import { called, hi, item, malformedRequests, parts, picture, user } from '../../test/malformed-requests.js';
import { type Dialect, type JsonObject, RequestRejected } from '../adapter.js';
import type { ConversationCapability } from '../clients/every-client.js';
import { findProvider } from '../registry.js';

// When a request is converted, a member of the wrong type must be refused instead of becoming an empty prompt.

const dialects: Record<ConversationCapability, Dialect> = {
  chat: 'openai',
  messages: 'anthropic',
  gemini: 'gemini',
  responses: 'responses',
};

/** Dify: its dialect differs from those of all clients, so every request is converted. */
const OTHER = 37;

function rejected(name: ConversationCapability, json: JsonObject, channelType = OTHER): RequestRejected | undefined {
  const adapter = findProvider(channelType)?.[name];
  const request = clientRequest({ model: 'm', ...json }, { dialect: dialects[name] });
  try {
    adapter?.toUpstream(
      request,
      channelTarget({
        channelType,
        model: 'm',
        key: channelType === 18 ? 'a|s|k' : 'k|s',
        baseUrl: 'https://up.example',
        other: 'o',
      }),
    );
    return undefined;
  } catch (error) {
    if (!(error instanceof RequestRejected)) throw error;
    return error;
  }
}

function told(name: ConversationCapability, json: JsonObject): string {
  const error = rejected(name, json);
  return error ? `${error.code}: ${error.message}` : '';
}

describe('a malformed request over an upstream of another dialect', () => {
  it.each(malformedRequests)('%s: %s', (name, text, json) => {
    expect(told(name, json)).toBe(text);
  });

  it.each<[ConversationCapability, JsonObject]>([
    [
      'chat',
      { messages: [hi], n: 1, logprobs: false, top_logprobs: 0, logit_bias: {}, modalities: ['text'], stop: null },
    ],
    ['chat', { messages: [hi], logprobs: true, top_logprobs: 2 }],
    ['chat', { messages: [{ content: 'hi' }, { role: '', content: 'hi' }, { role: null, content: 'hi' }] }],
    ['chat', { messages: [{ role: '' }] }],
    ['chat', { messages: [{ role: 'developer', content: [] }, hi, { role: 'user', content: null }] }],
    ['chat', { messages: [hi, called('{}'), { role: 'tool', tool_call_id: 'c', content: null }] }],
    [
      'chat',
      { messages: [hi, { role: 'assistant', content: null }, hi], response_format: { type: 'text' }, functions: [] },
    ],
    [
      'messages',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: '' },
              { type: 'text', text: 'hi' },
            ],
          },
        ],
      },
    ],
    ['chat', { messages: [hi, { role: 'assistant', content: 'x', tool_calls: [] }, hi], max_tokens: 1 }],
    ['chat', { messages: [hi], max_tokens: 0, max_completion_tokens: 0 }],
    ['messages', { messages: [hi], max_tokens: 0 }],
    ['chat', { messages: [hi, called(''), { role: 'tool', tool_call_id: 'c', content: '' }] }],
    [
      'responses',
      {
        input: [
          { role: 'user', content: 'hi' },
          { type: 'reasoning', id: 'r', summary: [] },
        ],
      },
    ],
    ['messages', { messages: [hi, { role: 'assistant', content: [{ type: 'redacted_thinking', data: 'x' }] }, hi] }],
    ['messages', { messages: [hi], thinking: { type: 'between_tools' } }],
    [
      'gemini',
      parts([
        { text: 'hi', thoughtSignature: 'x' },
        { text: '', inlineData: { mimeType: 'image/png', data: 'eA==' } },
      ]),
    ],
    [
      'gemini',
      {
        contents: [
          { role: 'user', parts: [{ text: 'hi' }] },
          { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
          { role: 'user', parts: [{ functionResponse: { name: 'f', response: { result: 'x' } } }] },
        ],
      },
    ],
    [
      'gemini',
      {
        contents: [{ parts: [{ text: 'hi' }] }],
        generationConfig: { candidateCount: 1, responseModalities: ['TEXT'] },
      },
    ],
    [
      'responses',
      { input: [{ role: 'user', content: 'hi' }], include: ['reasoning.encrypted_content'], top_logprobs: 0 },
    ],
  ])('%s: passes what says nothing more', (name, json) => {
    expect(told(name, json)).toBe('');
  });
});

describe('a turn that says nothing', () => {
  it.each([14, 15, 16, 18, 23, 24, 34, 37, 49])('is the same however it is written: type %d', (channelType) => {
    const bodyOf = (silent: JsonObject): string | undefined => {
      const request = clientRequest({ model: 'm', messages: [hi, { role: 'assistant', content: 'x' }, silent, hi] });
      const key = channelType === 18 ? 'a|s|k' : 'k|s';
      const target = channelTarget({ channelType, model: 'm', key, baseUrl: 'https://up.example', other: 'o' });
      return findProvider(channelType)?.chat?.toUpstream(request, target).body?.toString();
    };
    const written = [{ content: '' }, { content: null }, { content: [] }, {}].map((message) =>
      bodyOf({ role: 'user', ...message }),
    );
    expect(written[0]).toContain('hi');
    expect(new Set(written).size).toBe(1);
  });
});

const video = { type: 'video_url', video_url: { url: 'https://x.example/a.mp4' } };

describe('what one upstream has no words for', () => {
  it.each<[number, ConversationCapability, JsonObject, string]>([
    [14, 'chat', user([{ type: 'text', text: 'x' }, video]), 'messages.0.content.1'],
    [15, 'chat', user([picture]), 'messages.0.content.0'],
    [
      34,
      'messages',
      user([{ type: 'image', source: { type: 'url', url: 'https://x.example/a.png' } }]),
      'messages.0.content.0',
    ],
    [23, 'gemini', parts([{ inlineData: { mimeType: 'audio/wav', data: 'eA==' } }]), 'contents.0.parts.0'],
    [49, 'chat', user([video]), 'messages.0.content.0'],
    [
      15,
      'responses',
      item({ role: 'user', content: [{ type: 'input_image', image_url: 'https://x.example/a.png' }] }),
      'input.0.content.0',
    ],
  ])('is refused at its path: type %d, %s', (channelType, name, json, at) => {
    expect(rejected(name, json, channelType)).toMatchObject({ param: at, message: expect.stringContaining(`${at}: `) });
  });

  it.each([15, 16, 18, 23])('is a schema of the answer over type %d, but not JSON as such', (channelType) => {
    const format = { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' } } };
    expect(rejected('chat', { messages: [hi], response_format: format }, channelType)?.param).toBe('response_format');
    expect(rejected('chat', { messages: [hi], response_format: { type: 'json_object' } }, channelType)).toBeUndefined();
  });

  it.each([24, 34, 14, 1])('is not a schema over type %d', (channelType) => {
    const text = { format: { type: 'json_schema', name: 'n', schema: { type: 'object' } } };
    const generationConfig = { responseMimeType: 'application/json', responseSchema: { type: 'OBJECT' } };
    const output_config = { format: { type: 'json_schema', schema: { type: 'object' } } };
    expect([
      rejected('responses', { input: 'hi', text }, channelType),
      rejected('gemini', { ...parts([{ text: 'hi' }]), generationConfig }, channelType),
      rejected('messages', { messages: [hi], output_config }, channelType),
    ]).toEqual([undefined, undefined, undefined]);
  });
});

describe('an answer of which nothing can be said again', () => {
  it.each<[ConversationCapability, number, JsonObject]>([
    [
      'responses',
      14,
      {
        input: [
          { role: 'user', content: 'hi' },
          { type: 'reasoning', summary: [] },
        ],
      },
    ],
    ['messages', 1, { messages: [hi, { role: 'assistant', content: [{ type: 'redacted_thinking', data: 'x' }] }] }],
  ])('is left out, %s over type %s', (name, channelType, json) => {
    const request = clientRequest({ model: 'm', ...json }, { dialect: dialects[name] });
    const target = channelTarget({ channelType, model: 'm', key: 'k', baseUrl: 'https://up.example' });
    const { body } = findProvider(channelType)?.[name]?.toUpstream(request, target) ?? {};
    expect((JSON.parse(String(body)) as JsonObject).messages).toEqual([hi]);
  });
});
