import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { channelTarget, clientRequest, dataOf, fixture, play, replyContext } from '../../test/factories.js';
import { objectOf, textOf } from '../json/json.js';
import type { Json, JsonObject } from '../adapter.js';
import { findProvider } from '../registry.js';
import { openAiCompatible } from '../upstreams/openai-compatible.js';

const { messages } = openAiCompatible({ defaultBaseUrl: 'https://api.example.com', streamUsage: 'ask' });
const recorded = (name: string): Buffer => fixture(import.meta.dirname, name);

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

const eventsOf = (name: string, sizes: number[] = []) => {
  const stream = messages.openStream(replyContext());
  return { events: dataOf(play(stream, recorded(name), sizes)), stream };
};

describe('an OpenAI stream for an Anthropic client', () => {
  it('becomes a message with one text block', () => {
    const { events, stream } = eventsOf('text-with-usage.sse');

    expect(events).toEqual([
      expect.objectContaining({
        type: 'message_start',
        message: expect.objectContaining({ id: 'chatcmpl-9', usage: { input_tokens: 7, output_tokens: 0 } }),
      }),
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Grüße' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: ' 你好' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { input_tokens: 8, cache_creation_input_tokens: 0, cache_read_input_tokens: 4, output_tokens: 3 },
      },
      { type: 'message_stop' },
    ]);
    expect(stream.usage()).toMatchObject({ inputTokens: 8, outputTokens: 3 });
  });

  it('delivers a message that comes as a whole, where nothing was said before', () => {
    const said = (name: string): string =>
      eventsOf(name)
        .events.map((event) => textOf(objectOf(objectOf(event).delta).text))
        .join('');
    expect([said('whole-message-only.sse'), said('whole-message-last.sse')]).toEqual(['Grüße 你好', 'Grüße 你好']);
  });

  it('counts the text of a message that repeats its deltas once', () => {
    const { stream } = eventsOf('whole-message-last.sse');

    expect([stream.usage(), stream.text().text]).toEqual([undefined, 'Grüße 你好']);
  });

  it('keeps parallel tool calls in blocks of their own', () => {
    const { events } = eventsOf('parallel-tools.sse');
    const parts = events
      .slice(1, -2)
      .map(({ type, index, content_block: block, delta }) => [type, index, block ?? delta]);

    expect(parts).toEqual([
      ['content_block_start', 0, { type: 'tool_use', id: 'call_a', name: 'weather', input: {} }],
      ['content_block_delta', 0, { type: 'input_json_delta', partial_json: '{"city":' }],
      ['content_block_delta', 0, { type: 'input_json_delta', partial_json: '"Ulm"}' }],
      ['content_block_stop', 0, undefined],
      ['content_block_start', 1, { type: 'tool_use', id: 'call_b', name: 'time', input: {} }],
      ['content_block_delta', 1, { type: 'input_json_delta', partial_json: '{}' }],
      ['content_block_stop', 1, undefined],
    ]);
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' } });
  });

  const frameOf = (choice: JsonObject): Buffer =>
    Buffer.from(`data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`);
  /** The events the client gets for these deltas, without start and end. */
  const blocksOf = (...deltas: JsonObject[]) => {
    const stream = messages.openStream(replyContext());
    const chunks = [...deltas.map((delta) => ({ delta })), { delta: {}, finish_reason: 'tool_calls' }];
    const bytes = chunks.map(frameOf).join('');
    const events = dataOf(play(stream, Buffer.from(`${bytes}data: [DONE]\n\n`), []));
    return events.slice(1, -2).map(({ type, index, content_block: block, delta }) => [
      String(type).slice('content_block_'.length),
      index,
      ...[block, delta].filter(Boolean).map((said) => {
        const { name, partial_json: piece, text } = said as JsonObject;
        return name ?? piece ?? text;
      }),
    ]);
  };
  const called = (index: number, name: string) => ({ tool_calls: [{ index, id: `id_${name}`, function: { name } }] });
  const piece = (index: number, text: string) => ({ tool_calls: [{ index, function: { arguments: text } }] });

  it.each<[string, JsonObject]>([
    ['all alike', { index: 0 }],
    ['not at all', {}],
  ])('tells calls apart by their ids where the upstream numbers them %s', (_, place) => {
    const call = (id: string, args: string): JsonObject => ({
      tool_calls: [{ ...place, id, function: { name: id, arguments: args } }],
    });
    expect(blocksOf(call('a', '{"x":'), call('a', '1}'), call('b', '{}'))).toEqual([
      ...[
        ['start', 0, 'a'],
        ['delta', 0, '{"x":'],
        ['delta', 0, '1}'],
        ['stop', 0],
      ],
      ...[
        ['start', 1, 'b'],
        ['delta', 1, '{}'],
        ['stop', 1],
      ],
    ]);
  });

  it('writes one block at a time when the upstream goes from call to call', () => {
    const events = blocksOf(
      ...[called(0, 'a'), called(1, 'b'), piece(0, '{"x"'), piece(1, '{"y"'), piece(0, ':1}'), piece(1, ':2}')],
    );

    expect(events).toEqual([
      ['start', 0, 'a'],
      ['delta', 0, '{"x"'],
      ['delta', 0, ':1}'],
      ['stop', 0],
      ['start', 1, 'b'],
      ['delta', 1, '{"y":2}'],
      ['stop', 1],
    ]);
  });

  it('goes on with the next call as soon as the arguments of one are whole', () => {
    const lastOf = (...deltas: JsonObject[]) => {
      const stream = messages.openStream(replyContext());
      const told = deltas.map((delta) => stream.push(frameOf({ delta }))?.toString() ?? '');
      return dataOf(told.at(-1) ?? '').map(({ type }) => type);
    };
    const begun = [called(0, 'a'), piece(0, '{"x":"}\\'), piece(0, '"}","y":[{}')];

    expect(lastOf(...begun, called(1, 'b'))).toEqual([]);
    expect(lastOf(...begun, piece(0, ']}'), called(1, 'b'))).toEqual(['content_block_stop', 'content_block_start']);
  });

  it('ends a call before the text that came while it was written', () => {
    const events = blocksOf(called(0, 'a'), { content: 'so' }, piece(0, '{}'), { content: ' be it' }, called(1, 'b'));

    expect(events).toEqual([
      ['start', 0, 'a'],
      ['delta', 0, '{}'],
      ['stop', 0],
      ['start', 1, ''],
      ['delta', 1, 'so be it'],
      ['stop', 1],
      ['start', 2, 'b'],
      ['stop', 2],
    ]);
  });

  it('says that a call was cut', () => {
    const stream = messages.openStream(replyContext());
    const frames = [{ delta: called(0, 'a') }, { delta: piece(0, '{"x"') }, { delta: {}, finish_reason: 'length' }];
    const events = dataOf(play(stream, Buffer.from(`${frames.map(frameOf).join('')}data: [DONE]\n\n`)));
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'max_tokens' } });
  });

  it('keeps no more of later calls than a stream may keep', () => {
    const stream = messages.openStream(replyContext());
    const push = (delta: JsonObject) => stream.push(frameOf({ delta }));
    push(called(0, 'a'));
    push(called(1, 'b'));
    for (let turn = 0; turn < 17; turn += 1) push(piece(1, 'x'.repeat(1024 * 1024)));

    expect(stream.fault?.class).toBe('upstream');
  });

  it('puts reasoning before the text', () => {
    const { events } = eventsOf('reasoning.sse');
    const blocks = events.filter(({ type }) => type === 'content_block_start').map(({ content_block: block }) => block);

    expect(blocks).toEqual([
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'text', text: '' },
    ]);
  });

  it('ends with an error event of the dialect after a cut, and is not complete', () => {
    const { events, stream } = eventsOf('cut.sse');

    expect(stream.isComplete).toBe(false);
    expect(events.at(-1)).toMatchObject({ type: 'content_block_delta' });
    expect(stream.text().text).toBe('Grüße');
    expect(stream.errorFrames({ message: 'cut', type: 'upstream_error', code: 'x' }, 'r1').toString()).toMatch(
      /^event: error\n/,
    );
  });

  it('is the same whatever the chunking', () => {
    const whole = eventsOf('parallel-tools.sse').events;
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 20 }), (sizes) => {
        expect(eventsOf('parallel-tools.sse', sizes).events).toEqual(whole);
      }),
      { numRuns: 30 },
    );
  });
});

describe('many calls in one stream', () => {
  const callChunk = (index: number, choice = 0): string => {
    const call = { index, id: `c${index}`, type: 'function', function: { name: 'f', arguments: '{}' } };
    return `data: ${JSON.stringify({ choices: [{ index: choice, delta: { tool_calls: [call] } }] })}\n\n`;
  };
  const chunks = (count: number, chunk: (index: number) => string): Buffer =>
    Buffer.from(Array.from({ length: count }, (_, index) => chunk(index)).join(''));

  it('are a block each', () => {
    const frames = play(
      messages.openStream(replyContext()),
      chunks(1000, (index) => callChunk(index)),
    );
    const starts = dataOf(frames).filter(({ type }) => type === 'content_block_start');
    expect(starts.map(({ index }) => index)).toEqual(Array.from({ length: 1000 }, (_, index) => index));
  });

  it.each([
    ['calls', (index: number) => callChunk(index)],
    ['answers', (index: number) => callChunk(0, index)],
  ])('are a fault of the upstream beyond all measure: %s', (_, chunk) => {
    const stream = messages.openStream(replyContext());
    const frames = play(stream, chunks(8000, chunk));
    expect(stream.fault).toMatchObject({ class: 'upstream', message: expect.stringContaining('1024') });
    expect(dataOf(frames).length).toBeLessThan(4000);
  });

  it('leave nothing behind in another stream', () => {
    play(
      messages.openStream(replyContext()),
      chunks(1000, (index) => callChunk(index)),
    );
    const stream = messages.openStream(replyContext());
    play(
      stream,
      chunks(1000, (index) => callChunk(index)),
    );
    expect(stream.fault).toBeUndefined();
  });

  it('copy nothing per chunk of what came before', () => {
    const copied = jest.spyOn(Set.prototype, Symbol.iterator);
    play(
      messages.openStream(replyContext()),
      chunks(1000, (index) => callChunk(index)),
    );
    expect(copied.mock.calls.length).toBeLessThan(10);
    copied.mockRestore();
  });
});
