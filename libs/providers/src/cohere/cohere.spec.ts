import { describe, expect, it } from '@jest/globals';
import { channelTarget, clientRequest, dataOf, fixture, play, replyContext } from '../../test/factories.js';
import type { ChannelTarget, JsonObject } from '../adapter.js';
import { RequestRejected } from '../adapter.js';
import { cohere } from './index.js';

const target = (details: Partial<ChannelTarget> = {}): ChannelTarget =>
  channelTarget({ channelType: 34, model: 'command-r', ...details });
const written = (json: JsonObject, details: Partial<ChannelTarget> = {}, outputLimit?: number): JsonObject => {
  const request = clientRequest(json, outputLimit === undefined ? {} : { outputLimit });
  return JSON.parse(String(cohere.chat.toUpstream(request, target(details)).body)) as JsonObject;
};
const folder = import.meta.dirname;
const user = (content: string): JsonObject => ({ role: 'user', content });
const tools = [
  {
    type: 'function',
    function: {
      name: 'weather',
      description: 'Looks out',
      parameters: {
        type: 'object',
        properties: {
          city: { type: 'string', description: 'Where' },
          days: { type: 'array', items: { type: 'integer' } },
        },
        required: ['city'],
      },
    },
  },
];

describe('a chat with Cohere', () => {
  it('says how much it is watched over only where an operator or the channel does', () => {
    const json = { messages: [user('Hello')] };
    const settings = { ...channelTarget().settings, cohereSafetyMode: 'STRICT' };
    expect(written(json)).not.toHaveProperty('safety_mode');
    expect(written(json, { settings }).safety_mode).toBe('STRICT');
    expect(written(json, { settings, paramOverride: { safety_mode: 'OFF' } }).safety_mode).toBe('OFF');
  });

  it('keeps all that was said before', () => {
    const json = {
      model: 'command-r',
      messages: [
        { role: 'system', content: 'Be kind' },
        user('One'),
        { role: 'assistant', content: 'Two' },
        user('Three'),
        user('Four'),
      ],
      temperature: 0.3,
      top_p: 1,
      stop: ['x'],
    };
    const { url, headers } = cohere.chat.toUpstream(clientRequest(json), target());
    expect([url, headers.authorization]).toEqual(['https://api.cohere.ai/v1/chat', 'Bearer sk-upstream']);
    expect(written(json)).toEqual({
      model: 'command-r',
      message: 'Four',
      chat_history: [
        { role: 'SYSTEM', message: 'Be kind' },
        { role: 'USER', message: 'One' },
        { role: 'CHATBOT', message: 'Two' },
        { role: 'USER', message: 'Three' },
      ],
      stream: false,
      max_tokens: 4000,
      temperature: 0.3,
      p: 0.99,
      stop_sequences: ['x'],
    });
  });

  it('leaves out an answer without text', () => {
    const messages = [user('One'), { role: 'assistant', content: '' }, user('Two'), { role: 'assistant', content: '' }];
    expect(written({ model: 'command-r', messages })).toMatchObject({
      message: 'Two',
      chat_history: [{ role: 'USER', message: 'One' }],
    });
  });

  it('describes tools, and gives their results with the calls that asked for them', () => {
    const call = (id: string, city: string) => ({
      id,
      type: 'function',
      function: { name: 'weather', arguments: JSON.stringify({ city }) },
    });
    const json = {
      messages: [
        user('Weather?'),
        { role: 'assistant', content: null, tool_calls: [call('a', 'Köln'), call('b', 'Bonn')] },
        { role: 'tool', tool_call_id: 'a', content: '{"rain":true}' },
        { role: 'tool', tool_call_id: 'b', content: 'dry' },
      ],
      tools,
    };
    const calls = [
      { name: 'weather', parameters: { city: 'Köln' } },
      { name: 'weather', parameters: { city: 'Bonn' } },
    ];
    expect(written(json)).toMatchObject({
      message: '',
      tool_results: [
        { call: calls[0], outputs: [{ rain: true }] },
        { call: calls[1], outputs: [{ result: 'dry' }] },
      ],
      chat_history: [
        { role: 'USER', message: 'Weather?' },
        { role: 'CHATBOT', message: '', tool_calls: calls },
      ],
      tools: [
        {
          name: 'weather',
          description: 'Looks out',
          parameter_definitions: {
            city: { type: 'str', description: 'Where', required: true },
            days: { type: 'list', description: 'JSON Schema: {"items":{"type":"integer"}}', required: false },
          },
        },
      ],
    });
    const next = written({ ...json, messages: [...json.messages, user('And now?')] });
    expect(next.message).toBe('And now?');
    expect((next.chat_history as JsonObject[]).map(({ role }) => role)).toEqual(['USER', 'CHATBOT', 'TOOL']);
  });

  it('keeps to the limit that the wallet pays for, whatever the channel puts over it', () => {
    const json = { messages: [user('hi')], max_tokens: 90 };
    expect(written(json).max_tokens).toBe(90);
    expect(written(json, {}, 50).max_tokens).toBe(50);
    expect(written(json, { paramOverride: { max_tokens: 70, safety_mode: 'NONE' } }, 50)).toMatchObject({
      max_tokens: 50,
      safety_mode: 'NONE',
    });
  });

  it.each<[string, JsonObject]>([
    ['a picture', { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:,' } }] }] }],
    ['an answer that is to go on', { messages: [user('hi'), { role: 'assistant', content: 'Well' }] }],
    ['a tool that must be called', { messages: [user('hi')], tools, tool_choice: 'required' }],
  ])('refuses %s', (_, json) => {
    expect(() => written(json)).toThrow(RequestRejected);
  });

  it('without tools says nothing of them', () => {
    expect(written({ messages: [user('hi')], tools, tool_choice: 'none' })).not.toHaveProperty('tools');
  });
});

describe("Cohere's answer", () => {
  const meta = { billed_units: { input_tokens: 4, output_tokens: 7 }, tokens: { input_tokens: 71, output_tokens: 7 } };
  const read = (json: JsonObject) => cohere.chat.fromReply(Buffer.from(JSON.stringify(json)), replyContext());

  it('whole has text, reason and what is charged', () => {
    const reply = read({ response_id: 'r', text: 'Hello', finish_reason: 'MAX_TOKENS', meta });
    expect(JSON.parse(String(reply.body))).toMatchObject({
      id: 'r',
      choices: [{ message: { content: 'Hello' }, finish_reason: 'length' }],
      usage: { prompt_tokens: 4, completion_tokens: 7 },
    });
    expect(reply.usage).toMatchObject({ inputTokens: 4, outputTokens: 7 });
  });

  it('whole may be calls', () => {
    const reply = read({
      text: 'Look',
      finish_reason: 'COMPLETE',
      tool_calls: [{ name: 'f', parameters: { a: 1 } }],
      meta,
    });
    expect(JSON.parse(String(reply.body))).toMatchObject({
      choices: [
        {
          message: {
            content: 'Look',
            tool_calls: [{ id: 'call_r10', function: { name: 'f', arguments: '{"a":1}' } }],
          },
          finish_reason: 'tool_calls',
        },
      ],
    });
    expect(reply.text()).toMatchObject({ text: 'Lookf{"a":1}', toolCalls: 1 });
  });

  it.each([
    ['MAX_TOKENS', 'length'],
    ['ERROR_TOXIC', 'content_filter'],
    ['', 'tool_calls'],
  ])('with calls that ends with "%s" ends with %s', (reason, finish) => {
    const reply = read({ text: '', finish_reason: reason, tool_calls: [{ name: 'f', parameters: {} }], meta });
    expect(JSON.parse(String(reply.body))).toMatchObject({ choices: [{ finish_reason: finish }] });
  });

  it.each([{ message: 'too many tokens' }, { text: 'Hel', finish_reason: 'ERROR' }, {}])('is a fault in %j', (json) => {
    expect(read(json).fault).toBeDefined();
  });

  it.each([[[]], [[1, 5, 20, 3, 77]]])('streams text, cut at %j', (sizes) => {
    const stream = cohere.chat.openStream(replyContext({ includeUsage: true }));
    const chunks = dataOf(play(stream, fixture(folder, 'text.jsonl'), sizes));
    expect(chunks[0]).toMatchObject({ id: 'd7a0e9b0-0ab4-4d7b-a8f0-4a2f0b4f3f11' });
    const choices = chunks.map((chunk) => (chunk.choices as JsonObject[])[0]);
    expect(choices.map((choice) => (choice?.delta as JsonObject)?.content ?? '').join('')).toBe(
      'Hello, dear Ünïverse.',
    );
    expect(choices.find((choice) => choice?.finish_reason)?.finish_reason).toBe('stop');
    expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 4, completion_tokens: 7 });
    expect(stream.usage()).toMatchObject({ inputTokens: 4, outputTokens: 7 });
    expect(stream.isComplete).toBe(true);
  });

  it('streams calls whole, and what is said beside them once', () => {
    const stream = cohere.messages.openStream(replyContext());
    const events = dataOf(play(stream, fixture(folder, 'tools.jsonl'), [9, 200, 31]));
    const deltas = events.map(({ delta }) => delta as JsonObject | undefined);
    expect(deltas.map((delta) => delta?.text ?? '').join('')).toBe('I will look at the sky.');
    expect(deltas.map((delta) => delta?.partial_json ?? '').join('')).toBe('{"city":"Köln"}{"city":"Bonn"}');
    expect(deltas.find((delta) => delta?.stop_reason)?.stop_reason).toBe('tool_use');
  });

  it('that breaks is a fault, and one that is cut is incomplete', () => {
    const broken = cohere.chat.openStream(replyContext());
    play(broken, fixture(folder, 'error.jsonl'));
    expect(broken.fault).toBeDefined();
    const cut = cohere.chat.openStream(replyContext());
    play(cut, fixture(folder, 'text.jsonl').subarray(0, 300));
    expect([cut.isComplete, cut.text().text.length > 0]).toEqual([false, true]);
  });

  it('sends nothing when it breaks before its first word, so that another channel can be tried', () => {
    const stream = cohere.chat.openStream(replyContext());
    const [first = '', , last = ''] = fixture(folder, 'error.jsonl').toString().split('\n');
    expect(play(stream, Buffer.from(`${first}\n${last}\n`))).toBe('');
    expect(stream.fault).toBeDefined();
  });

  it('lists models by their names', () => {
    expect(cohere.models.fromReply(Buffer.from('{"models":[{"name":"command-r"},{"name":"embed"}]}'))).toEqual([
      'command-r',
      'embed',
    ]);
  });
});

describe('a ranking of Cohere', () => {
  it('is of one document unless more are asked for, with the document', () => {
    const json = { model: 'x', query: 'q', documents: ['a', 'b'] };
    const bodyOf = (more: JsonObject) =>
      JSON.parse(String(cohere.rerank.toUpstream(clientRequest({ ...json, ...more }), target()).body)) as JsonObject;
    expect(bodyOf({})).toEqual({ ...json, model: 'command-r', top_n: 1, return_documents: true });
    expect(bodyOf({ top_n: 2, return_documents: false, max_chunk_per_doc: 3 })).toEqual({
      ...json,
      ...{ model: 'command-r', top_n: 2, return_documents: false, max_chunks_per_doc: 3 },
    });
  });
});
