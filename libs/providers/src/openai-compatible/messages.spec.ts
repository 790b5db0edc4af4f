import { describe, expect, it } from '@jest/globals';
import { channelTarget, clientRequest, replyContext } from '../../test/factories.js';
import type { Json, JsonObject } from '../adapter.js';
import { findProvider } from '../registry.js';
import { openAiCompatible } from '../upstreams/openai-compatible.js';

const { messages } = openAiCompatible({ defaultBaseUrl: 'https://api.example.com', streamUsage: 'ask' });

const sent = (json: JsonObject, model = 'gpt-4o'): JsonObject => {
  const request = clientRequest({ model: 'claude-x', max_tokens: 9, ...json }, { dialect: 'anthropic' });
  return JSON.parse(messages.toUpstream(request, channelTarget({ model })).body?.toString() ?? '') as JsonObject;
};

describe('an Anthropic request to an OpenAI upstream', () => {
  it('translates system lists, stop sequences, limits and the user', () => {
    const json = {
      system: [
        { type: 'text', text: 'Be' },
        { type: 'text', text: 'kind' },
      ],
      messages: [{ role: 'user', content: 'hi' }],
      stop_sequences: ['a', 'b'],
      metadata: { user_id: 'u' },
      temperature: 0,
      top_k: 5,
      stream: true,
    };

    expect(sent(json)).toEqual({
      model: 'gpt-4o',
      max_tokens: 9,
      temperature: 0,
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: 'system', content: 'Be\nkind' },
        { role: 'user', content: 'hi' },
      ],
      stop: ['a', 'b'],
      user: 'u',
    });
    expect(sent({ ...json, stop_sequences: ['a'] }).stop).toBe('a');
  });

  it('has instructions between the messages in its system, and refuses all but texts there', () => {
    const [hi, more] = ['hi', 'more'].map((content) => ({ role: 'user', content }));
    const told = (content: Json): JsonObject => ({
      system: 'Be',
      messages: [hi ?? {}, { role: 'system', content }, more ?? {}],
    });

    expect(sent(told('kind')).messages).toEqual([{ role: 'system', content: 'Be\nkind' }, hi, more]);
    expect(sent(told([{ type: 'text', text: 'kind' }])).messages).toEqual(sent(told('kind')).messages);
    expect(() => sent(told([{ type: 'tool_use', id: 'a', name: 'f' }]))).toThrow('messages.1.content.0.type');
  });

  it('keeps text, parallel calls and their results in order', () => {
    const json = {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 's' },
            { type: 'text', text: 'asking' },
            { type: 'tool_use', id: 'a', name: 'weather', input: { city: 'Ulm' } },
            { type: 'tool_use', id: 'b', name: 'time', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a', content: 'sunny' },
            { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'text', text: 'noon' }] },
            { type: 'text', text: 'well?' },
          ],
        },
      ],
      tools: [{ name: 'weather', description: 'd', input_schema: { type: 'object' } }],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
    };

    expect(sent(json)).toMatchObject({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
          ],
        },
        {
          role: 'assistant',
          content: 'asking',
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'weather', arguments: '{"city":"Ulm"}' } },
            { id: 'b', type: 'function', function: { name: 'time', arguments: '{}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'a', content: 'sunny' },
        { role: 'tool', tool_call_id: 'b', content: 'noon' },
        { role: 'user', content: 'well?' },
      ],
      tools: [{ type: 'function', function: { name: 'weather', description: 'd', parameters: { type: 'object' } } }],
      tool_choice: 'required',
      parallel_tool_calls: false,
    });
    expect((sent(json).tools as unknown[]).length).toBe(1);
  });

  it('says strict of a tool, and of JSON nothing, as the client does', () => {
    const schema = { type: 'object' };
    const tools = [
      { name: 'a', input_schema: schema, strict: true },
      { name: 'b', input_schema: schema },
    ];
    const json = {
      messages: [{ role: 'user', content: 'hi' }],
      ...{ tools, output_config: { format: { type: 'json_schema', schema } } },
    };
    const { tools: functions, response_format: format } = sent(json);
    expect((functions as JsonObject[]).map(({ function: fn }) => fn)).toEqual([
      { name: 'a', parameters: schema, strict: true },
      { name: 'b', parameters: schema },
    ]);
    expect(format).toEqual({ type: 'json_schema', json_schema: { name: 'answer', schema } });
  });

  it('asks for JSON by a schema only where the upstream takes one', () => {
    const format = { type: 'json_schema', schema: { type: 'object' } };
    const json = { max_tokens: 9, messages: [{ role: 'user', content: 'hi' }], output_config: { format } };
    const overDeepSeek = () =>
      findProvider(43)?.messages?.toUpstream(clientRequest(json, { dialect: 'anthropic' }), channelTarget());

    expect(sent(json).response_format).toMatchObject({ type: 'json_schema' });
    expect(overDeepSeek).toThrow('with a schema is not supported by the channels of this model');
  });

  it('has documents with the request, and by their address only where the upstream fetches them', () => {
    const document = (source: JsonObject): JsonObject => ({ type: 'document', title: 'a.pdf', source });
    const told = (...content: JsonObject[]): JsonObject => ({ messages: [{ role: 'user', content }] });
    const data = document({ type: 'base64', media_type: 'application/pdf', data: 'AA==' });
    const remote = document({ type: 'url', url: 'https://x.example/a.pdf' });
    const file = (file_data: string): JsonObject => ({ type: 'file', file: { filename: 'a.pdf', file_data } });

    expect(sent(told(data)).messages).toEqual([{ role: 'user', content: [file('data:application/pdf;base64,AA==')] }]);
    expect(() => sent(told(remote))).toThrow('messages.0.content.0: a document must be sent with the request');
    const result = { type: 'tool_result', tool_use_id: 'a', content: [remote] };
    const call = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] };
    expect(() => sent({ messages: [call, { role: 'user', content: [result] }] })).toThrow('messages.1.content.0');
    const request = clientRequest({ max_tokens: 9, ...told(remote) }, { dialect: 'anthropic' });
    const { body } = findProvider(20)?.messages?.toUpstream(request, channelTarget({ channelType: 20 })) ?? {};
    expect(JSON.parse(String(body))).toMatchObject({ messages: [{ content: [file('https://x.example/a.pdf')] }] });
  });

  it('has a document of plain text as a text, also in the result of a tool', () => {
    const data = Buffer.from('Grüße').toString('base64');
    const document = { type: 'document', source: { type: 'base64', media_type: 'text/plain', data } };
    const question = { type: 'text', text: 'well?' };
    const call = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] };
    const result = { type: 'tool_result', tool_use_id: 'a', content: [document] };

    expect(sent({ messages: [{ role: 'user', content: [document, question] }] }).messages).toEqual([
      { role: 'user', content: 'Grüße\nwell?' },
    ]);
    expect(sent({ messages: [call, { role: 'user', content: [result] }] }).messages).toMatchObject([
      { role: 'assistant' },
      { role: 'tool', tool_call_id: 'a', content: 'Grüße' },
    ]);
  });

  it('marks system, tools and messages for the cache only where the upstream knows the marks', () => {
    const marked = openAiCompatible({ defaultBaseUrl: 'https://api.example.com', cacheMarks: true });
    const mark = { cache_control: { type: 'ephemeral' } };
    const question = { role: 'user', content: 'hi' };
    const markedQuestion = { role: 'user', content: [{ type: 'text', text: 'hi', ...mark }] };
    const texts = [
      { type: 'text', text: 'Be' },
      { type: 'text', text: 'kind', ...mark },
    ];
    const tools = [
      { name: 'f', input_schema: {}, ...mark },
      { name: 'g', input_schema: {} },
    ];
    const bodyOf = (json: JsonObject) => {
      const request = clientRequest({ max_tokens: 9, messages: [question], ...json }, { dialect: 'anthropic' });
      return JSON.parse(String(marked.messages.toUpstream(request, channelTarget()).body)) as JsonObject;
    };

    const [f, g] = ['f', 'g'].map((name) => ({ type: 'function', function: { name, parameters: {} } }));
    expect(bodyOf({ system: texts, tools })).toMatchObject({
      messages: [{ role: 'system', content: texts }, question],
      tools: [{ ...f, ...mark }, g],
    });
    expect(bodyOf({ system: 'Be' }).messages).toEqual([{ role: 'system', content: 'Be' }, question]);
    expect(sent({ messages: [question], system: texts, tools })).toMatchObject({
      messages: [{ role: 'system', content: 'Be\nkind' }, question],
      tools: [f, g],
    });
    expect(JSON.stringify(sent({ messages: [question], system: texts, tools }))).not.toContain('cache_control');
    expect(bodyOf({ messages: [markedQuestion] }).messages).toEqual([markedQuestion]);
    expect(sent({ messages: [markedQuestion] }).messages).toEqual([question]);
  });

  it('obeys the rules of reasoning models', () => {
    expect(sent({ messages: [{ role: 'user', content: 'hi' }], temperature: 1 }, 'o3-mini-low')).toEqual({
      model: 'o3-mini',
      max_completion_tokens: 9,
      reasoning_effort: 'low',
      messages: [{ role: 'user', content: 'hi' }],
    });
  });

  it.each([
    ['o3', false, undefined],
    ['gpt-5', false, false],
    ['gpt-5.2', false, false],
    ['codex-mini-latest', false, false],
    ['gpt-5-chat-latest', true, false],
    ['gpt-4o', true, false],
  ])('asks %s for sampling: %s, and for one call at a time: %s', (model, isSampled, parallel) => {
    const asked = { temperature: 0.5, top_p: 0.5, stop_sequences: ['a'] };
    const { temperature, top_p, stop, parallel_tool_calls } = sent(
      {
        ...{ messages: [{ role: 'user', content: 'hi' }], tools: [{ name: 'f', input_schema: {} }], ...asked },
        tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      },
      model,
    );
    expect([temperature, top_p, stop]).toEqual(isSampled ? [0.5, 0.5, 'a'] : [undefined, undefined, undefined]);
    expect(parallel_tool_calls).toBe(parallel);
  });

  it.each([
    ['standard_only', 'default'],
    ['auto', 'auto'],
    ['flex', undefined],
  ])('asks for the tier %s as %s', (tier, written) => {
    expect(sent({ messages: [{ role: 'user', content: 'hi' }], service_tier: tier }).service_tier).toBe(written);
  });

  it.each(['gpt-5', 'gpt-5-mini', 'codex-mini-latest'])('names the limit as %s expects it', (model) => {
    const { max_completion_tokens: limit, ...rest } = sent({ messages: [{ role: 'user', content: 'hi' }] }, model);
    expect(limit).toBe(9);
    expect(rest).not.toHaveProperty('max_tokens');
  });

  it('names the limit as it was before where the upstream knows no other name', () => {
    const older = openAiCompatible({ defaultBaseUrl: 'https://api.example.com', olderLimit: true });
    const request = clientRequest(
      { model: 'x', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] },
      { dialect: 'anthropic' },
    );
    const { body } = older.messages.toUpstream(request, channelTarget({ model: 'gpt-5' }));
    expect(JSON.parse(String(body))).toEqual({
      ...{ model: 'gpt-5', max_tokens: 9 },
      messages: [{ role: 'user', content: 'hi' }],
    });
  });
});

describe('an OpenAI reply for an Anthropic client', () => {
  const reply = (message: JsonObject, finish: string) => {
    const json = {
      id: 'c1',
      model: 'gpt-4o',
      choices: [{ message, finish_reason: finish }],
      usage: { prompt_tokens: 10, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 4 } },
    };
    return JSON.parse(
      messages.fromReply(Buffer.from(JSON.stringify(json)), replyContext()).body.toString(),
    ) as JsonObject;
  };

  it('has reasoning, text and every tool call as blocks', () => {
    const calls = [
      { id: 'a', function: { name: 'weather', arguments: '{"city":"Ulm"}' } },
      { id: 'b', function: { name: 'time', arguments: 'broken' } },
    ];

    expect(reply({ content: 'ok', reasoning_content: 'hm', tool_calls: calls }, 'tool_calls')).toEqual({
      id: 'c1',
      type: 'message',
      role: 'assistant',
      model: 'gpt-4o',
      content: [
        { type: 'thinking', thinking: 'hm', signature: '' },
        { type: 'text', text: 'ok' },
        { type: 'tool_use', id: 'a', name: 'weather', input: { city: 'Ulm' } },
        { type: 'tool_use', id: 'b', name: 'time', input: {} },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 6, cache_creation_input_tokens: 0, cache_read_input_tokens: 4, output_tokens: 2 },
    });
  });

  it('has thoughts and text that are parts of a list', () => {
    const thinking = [{ type: 'text', text: 'Hm' }];
    const texts = ['Grü', 'ße'].map((text) => ({ type: 'text', text }));
    expect(reply({ content: [{ type: 'thinking', thinking }, ...texts] }, 'stop').content).toEqual([
      { type: 'thinking', thinking: 'Hm', signature: '' },
      { type: 'text', text: 'Grüße' },
    ]);
  });

  it('maps a cut by length', () => {
    expect(reply({ content: 'ok' }, 'length').stop_reason).toBe('max_tokens');
    expect(reply({ content: 'ok' }, 'stop').stop_reason).toBe('end_turn');
  });

  it('says that calls were cut, and leaves out one that is not whole', () => {
    const call = (id: string, written: string): JsonObject => ({ id, function: { name: 'f', arguments: written } });
    const use = (id: string): JsonObject => ({ type: 'tool_use', id, name: 'f', input: {} });
    const [whole, cut] = [call('a', '{}'), call('b', '{"city":"U')];

    expect(reply({ tool_calls: [whole, cut] }, 'length')).toMatchObject({
      ...{ content: [use('a')], stop_reason: 'max_tokens' },
    });
    expect(reply({ tool_calls: [whole, call('b', '{}')] }, 'length')).toMatchObject({
      ...{ content: [use('a'), use('b')], stop_reason: 'max_tokens' },
    });
    expect(reply({ tool_calls: [whole] }, 'content_filter').stop_reason).toBe('refusal');
  });

  it.each(['', 'stop', 'tool_calls', 'function_call'])('wants its calls answered where it ends with "%s"', (finish) => {
    const calls = [{ id: 'a', function: { name: 'f', arguments: '{}' } }];
    expect(reply({ tool_calls: calls }, finish).stop_reason).toBe('tool_use');
  });
});
