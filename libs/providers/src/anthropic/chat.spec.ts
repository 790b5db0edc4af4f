import { describe, expect, it } from '@jest/globals';
import { channelTarget, clientRequest } from '../../test/factories.js';
import type { ChannelTarget, JsonObject } from '../adapter.js';
import { anthropic } from '../upstreams/anthropic.js';

const claude = (details: Partial<ChannelTarget> = {}): ChannelTarget =>
  channelTarget({ channelType: 14, model: 'claude-3-7-sonnet-20250219', key: 'sk-ant', ...details });

const chatBody = (json: JsonObject, target: Partial<ChannelTarget> = {}): JsonObject =>
  JSON.parse(anthropic.chat.toUpstream(clientRequest(json), claude(target)).body?.toString() ?? '') as JsonObject;

const user = { role: 'user', content: 'hi' };

describe('a chat request to Anthropic', () => {
  it('has systems apart, a limit, and the names of this dialect', () => {
    const json = {
      model: 'x',
      messages: [{ role: 'system', content: 'a' }, { role: 'developer', content: [{ type: 'text', text: 'b' }] }, user],
      stop: 'END',
      temperature: 1.7,
      top_k: 4,
      user: 'u',
      n: 1,
      stream: true,
    };

    expect(chatBody(json)).toEqual({
      model: 'claude-3-7-sonnet-20250219',
      max_tokens: 8192,
      system: 'a\nb',
      messages: [user],
      stop_sequences: ['END'],
      temperature: 1,
      top_k: 4,
      metadata: { user_id: 'u' },
      stream: true,
    });
    expect(chatBody({ ...json, max_tokens: 5, max_completion_tokens: 6 }).max_tokens).toBe(6);
  });

  it('has the version of the API that the client states, else the one that it is written for', () => {
    const versionFor = (headers: Record<string, string>): string | undefined =>
      anthropic.chat.toUpstream(clientRequest({ messages: [user] }, { headers }), claude()).headers[
        'anthropic-version'
      ];
    expect([versionFor({ 'anthropic-version': '2024-01-01' }), versionFor({})]).toEqual(['2024-01-01', '2023-06-01']);
  });

  it('has a message without a role as the words of the user', () => {
    const assistant = { role: 'assistant', content: 'a' };
    const messages = [{ role: '', content: 'x' }, assistant, { content: 'y' }];
    expect(chatBody({ messages }).messages).toEqual([
      { role: 'user', content: 'x' },
      assistant,
      { role: 'user', content: 'y' },
    ]);
  });

  it('names the user alone of what the client says of a request', () => {
    const metadataOf = (rest: JsonObject) => chatBody({ messages: [user], ...rest }).metadata;
    expect(metadataOf({ metadata: { user_id: 'm', topic: 'x' }, user: 'u' })).toEqual({ user_id: 'm' });
    expect(metadataOf({ metadata: { topic: 'x' }, user: 'u' })).toEqual({ user_id: 'u' });
    expect(metadataOf({ metadata: { topic: 'x' } })).toBeUndefined();
  });

  it('asks for JSON of a schema, for any JSON by its prompt alone', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      additionalProperties: false,
    };
    const asked = { type: 'json_schema', json_schema: { name: 'n', strict: true, schema } };
    expect(chatBody({ messages: [user], response_format: asked }).output_config).toEqual({
      format: { type: 'json_schema', schema },
    });
    const { additionalProperties: _, ...open } = schema;
    const limited = { ...open, properties: { a: { type: 'string', maxLength: 5 } } };
    const ordinary = { type: 'json_schema', json_schema: { name: 'n', schema: limited } };
    expect(chatBody({ messages: [user], response_format: ordinary })).toHaveProperty('output_config.format.schema', {
      ...schema,
      properties: { a: { type: 'string', description: '(maxLength: 5)' } },
    });
    expect(chatBody({ messages: [user], response_format: { type: 'json_object' } })).not.toHaveProperty(
      'output_config',
    );
  });

  it('gathers the results of parallel calls into one turn', () => {
    const calls = [
      { id: 'a', type: 'function', function: { name: 'weather', arguments: '{"city":"Ulm"}' } },
      { id: 'b', type: 'function', function: { name: 'time', arguments: '' } },
    ];
    const messages = [
      { role: 'assistant', content: null, tool_calls: calls },
      { role: 'tool', tool_call_id: 'a', content: 'sunny' },
      { role: 'tool', tool_call_id: 'b', content: 'noon' },
      { role: 'user', content: '' },
    ];

    expect(chatBody({ messages }).messages).toEqual([
      { role: 'user', content: '...' },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'a', name: 'weather', input: { city: 'Ulm' } },
          { type: 'tool_use', id: 'b', name: 'time', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: 'sunny' },
          { type: 'tool_result', tool_use_id: 'b', content: 'noon' },
          { type: 'text', text: '...' },
        ],
      },
    ]);
  });

  it('has no letters in ids of calls that this dialect does not allow', () => {
    const call = { id: 'functions.f:0', type: 'function', function: { name: 'f', arguments: '{}' } };
    const messages = [
      user,
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'functions.f:0', content: 'r' },
    ];
    expect(chatBody({ messages }).messages).toMatchObject([
      user,
      { content: [{ type: 'tool_use', id: 'functions_f_0' }] },
      { content: [{ type: 'tool_result', tool_use_id: 'functions_f_0' }] },
    ]);
  });

  it('keeps what the model refused to do', () => {
    const refused = (message: JsonObject): unknown =>
      chatBody({ messages: [user, { role: 'assistant', refusal: 'I cannot', ...message }, user] }).messages;
    expect(refused({ content: null })).toEqual([user, { role: 'assistant', content: 'I cannot' }, user]);
    expect(refused({ content: 'No' })).toEqual([user, { role: 'assistant', content: 'No' }, user]);
    expect(refused({ refusal: null, content: 'Yes' })).toEqual([user, { role: 'assistant', content: 'Yes' }, user]);
  });

  it('asks for no likelihoods of tokens, which this dialect does not have', () => {
    const body = chatBody({ messages: [user], logprobs: true, top_logprobs: 2 });
    expect(Object.keys(body).filter((name) => name.includes('logprobs'))).toEqual([]);
  });

  it('has no text that is white space alone', () => {
    const text = (said: string): JsonObject => ({ type: 'text', text: said });
    const image = { type: 'image_url', image_url: { url: 'https://images.example/cat.png' } };
    const written = (content: JsonObject[string]) => chatBody({ messages: [{ role: 'user', content }] }).messages;
    expect(written([text(' \n'), text('look'), text('\t'), image])).toMatchObject([
      { content: [{ type: 'text', text: 'look' }, { type: 'image' }] },
    ]);
    expect(written([text(''), image])).toMatchObject([{ content: [{ type: 'image' }] }]);
    for (const blank of [' ', [text(' '), text('')]])
      expect(written(blank)).toEqual([{ role: 'user', content: '...' }]);
    const systemOf = (content: JsonObject[string]) =>
      chatBody({ messages: [{ role: 'system', content }, user] }).system;
    expect([systemOf(' '), systemOf([text('a'), text(' ')])]).toEqual(['...', 'a']);
    const marked = { ...text('b'), cache_control: { type: 'ephemeral' } };
    expect(systemOf([text(' '), marked])).toEqual([marked]);
  });

  it('has empty results of tools for those of white space', () => {
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
    const resultOf = (content: JsonObject[string]) => {
      const asked = [user, { role: 'assistant', content: ' ', tool_calls: [call] }];
      const { messages } = chatBody({ messages: [...asked, { role: 'tool', tool_call_id: 'a', content }] });
      return (messages as JsonObject[]).slice(1);
    };
    for (const content of ['\n', [{ type: 'text', text: ' ' }]])
      expect(resultOf(content)).toEqual([
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: '' }] },
      ]);
  });

  it('ends without white space, where the model is to go on with what it said', () => {
    const said = { role: 'assistant', content: 'The answer is \n' };
    expect(chatBody({ messages: [user, said] }).messages).toEqual([user, { ...said, content: 'The answer is' }]);
    expect(chatBody({ messages: [user, said, user] }).messages).toEqual([user, said, user]);
  });

  it('has no stop sequences of white space', () => {
    const stopOf = (stop: JsonObject[string]) => chatBody({ messages: [user], stop });
    expect(stopOf(['\n', 'END', ' '])).toHaveProperty('stop_sequences', ['END']);
    expect(stopOf('\n\n')).not.toHaveProperty('stop_sequences');
  });

  it.each([...['ann@example.com', 'app:ann@mail.example.com', '+49 170 1234567', '(030) 123-4567']])(
    'does not name a user whose name is an address or a telephone number: %s',
    (name) => expect(chatBody({ messages: [user], user: name })).not.toHaveProperty('metadata'),
  );

  it.each(['u-1', '42', 'ann', 'f47ac10b-58cc-4372-a567-0e02b2c3d479'])('names the user %s', (name) =>
    expect(chatBody({ messages: [user], user: name }).metadata).toEqual({ user_id: name }),
  );

  it('joins consecutive texts of one role', () => {
    const said = (...contents: JsonObject[string][]) =>
      chatBody({ messages: contents.map((content) => ({ role: 'user', content })) }).messages;
    expect(said('a', 'b', 'c')).toEqual([{ role: 'user', content: 'a b c' }]);
    const marked = { type: 'text', text: 'b', cache_control: { type: 'ephemeral' } };
    expect(said('a', [marked])).toEqual([{ role: 'user', content: [{ type: 'text', text: 'a' }, marked] }]);
  });

  it('has the results of tools before what else the user says', () => {
    const [before, after] = ['and hurry', 'please'];
    const called = ['f', 'g'].map((name) => ({ functionCall: { name, args: {} } }));
    const answered = (name: string): JsonObject => ({ functionResponse: { name, response: { result: name } } });
    const contents = [
      { role: 'user', parts: [{ text: 'hi' }] },
      { role: 'model', parts: called },
      { role: 'user', parts: [{ text: before }, answered('f'), { text: after }, answered('g')] },
    ];
    const { body } = anthropic.gemini.toUpstream(clientRequest({ contents }, { dialect: 'gemini' }), claude());
    const { messages } = JSON.parse(String(body)) as { messages: { content: JsonObject[] }[] };
    expect(messages[2]?.content).toMatchObject([
      { type: 'tool_result', tool_use_id: 'call_0' },
      { type: 'tool_result', tool_use_id: 'call_1' },
      { type: 'text', text: before },
      { type: 'text', text: after },
    ]);
  });

  it('has the result of a tool before a message that came ahead of it', () => {
    const input = [
      { role: 'user', content: 'hi' },
      { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
      { role: 'user', content: 'and hurry' },
      { type: 'function_call_output', call_id: 'a', output: 'done' },
    ];
    const { body } = anthropic.responses.toUpstream(clientRequest({ input }, { dialect: 'responses' }), claude());
    expect((JSON.parse(String(body)) as JsonObject).messages).toMatchObject([
      user,
      { role: 'assistant' },
      {
        role: 'user',
        content: [
          { type: 'tool_result', content: 'done' },
          { type: 'text', text: 'and hurry' },
        ],
      },
    ]);
  });

  it('keeps calls with unreadable arguments, without these, and their results', () => {
    const call = (id: string, written: string) => ({
      ...{ id, type: 'function', function: { name: 'f', arguments: written } },
    });
    const used = (id: string, input = {}) => ({ type: 'tool_use', id, name: 'f', input });
    const result = (id: string, content: string) => ({ type: 'tool_result', tool_use_id: id, content });
    const messages = [
      user,
      { role: 'assistant', content: null, tool_calls: [call('a', '{"x":1}'), call('b', '{"x":')] },
      { role: 'tool', tool_call_id: 'a', content: 'one' },
      { role: 'tool', tool_call_id: 'b', content: 'invalid JSON' },
      { role: 'assistant', content: null, tool_calls: [call('c', '[1]')] },
      { role: 'tool', tool_call_id: 'c', content: 'no object' },
    ];
    expect(chatBody({ messages }).messages).toEqual([
      user,
      { role: 'assistant', content: [used('a', { x: 1 }), used('b')] },
      { role: 'user', content: [result('a', 'one'), result('b', 'invalid JSON')] },
      { role: 'assistant', content: [used('c')] },
      { role: 'user', content: [result('c', 'no object')] },
    ]);
  });

  it('maps tools and the choice among them', () => {
    const tools = [
      {
        type: 'function',
        function: { name: 'f', description: 'd', parameters: { type: 'object', properties: {}, $defs: {} } },
      },
      { type: 'function', function: { name: 'bare' } },
    ];
    const choiceOf = (choice: JsonObject[string], rest: JsonObject = {}) =>
      chatBody({ messages: [user], tools, tool_choice: choice, ...rest }).tool_choice;

    expect(chatBody({ messages: [user], tools }).tools).toEqual([
      { name: 'f', description: 'd', input_schema: { type: 'object', properties: {}, $defs: {} } },
      { name: 'bare', input_schema: { type: 'object', properties: {} } },
    ]);
    expect(choiceOf('required')).toEqual({ type: 'any' });
    expect(choiceOf({ type: 'function', function: { name: 'f' } })).toEqual({ type: 'tool', name: 'f' });
    expect(choiceOf(undefined, { parallel_tool_calls: false })).toEqual({
      type: 'auto',
      disable_parallel_tool_use: true,
    });
    expect(choiceOf('none', { parallel_tool_calls: false })).toEqual({ type: 'none' });
    expect(choiceOf(undefined)).toBeUndefined();
  });

  it('inlines data URIs, names addresses, and refuses what cannot be said', () => {
    const content = [
      { type: 'text', text: 'look', cache_control: { type: 'ephemeral' } },
      { type: 'image_url', image_url: { url: 'data:image/webp;base64,AA==' } },
      { type: 'image_url', image_url: { url: 'https://images.example/cat.png' } },
      { type: 'file', file: { file_data: 'data:application/pdf;base64,AA==' }, cache_control: { type: 'ephemeral' } },
    ];

    expect(chatBody({ messages: [{ role: 'user', content }] }).messages).toEqual([
      {
        role: 'user',
        content: [
          content[0],
          { type: 'image', source: { type: 'base64', media_type: 'image/webp', data: 'AA==' } },
          { type: 'image', source: { type: 'url', url: 'https://images.example/cat.png' } },
          {
            type: 'document',
            source: { type: 'base64', media_type: 'application/pdf', data: 'AA==' },
            cache_control: { type: 'ephemeral' },
          },
        ],
      },
    ]);
    expect(() =>
      chatBody({ messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AA==' } }] }] }),
    ).toThrow('input_audio is not supported');
  });

  it.each(['text/plain', 'text/markdown', 'text/csv;charset=utf-8'])('has a document of %s as text', (mimeType) => {
    const data = Buffer.from('größer,kleiner').toString('base64');
    const source = { type: 'text', media_type: 'text/plain', data: 'größer,kleiner' };
    const contents = [{ role: 'user', parts: [{ inlineData: { mimeType, data } }] }];
    const { body } = anthropic.gemini.toUpstream(clientRequest({ contents }, { dialect: 'gemini' }), claude());
    expect(JSON.parse(String(body))).toMatchObject({ messages: [{ content: [{ type: 'document', source }] }] });
    if (mimeType.includes(';')) return;
    const file = { type: 'file', file: { file_data: `data:${mimeType};base64,${data}`, filename: 'a.csv' } };
    expect(chatBody({ messages: [{ role: 'user', content: [file] }] }).messages).toEqual([
      { role: 'user', content: [{ type: 'document', title: 'a.csv', source }] },
    ]);
  });

  it.each([
    ['image/jpg', 'iVBORw0KGgoAAAANSUhEUg==', 'image/png'],
    ['', '/9j/4AAQSkZJRgABAQ==', 'image/jpeg'],
    ['image/png', 'R0lGODlhAQABAIAAAAAAAA==', 'image/gif'],
    ['image/jpeg', 'UklGRiQAAABXRUJQVlA4IA==', 'image/webp'],
    ['image/jpg', 'AA==', 'image/jpeg'],
    ['image/heic', 'AA==', 'image/heic'],
  ])('says of a picture stated as "%s" what it is by its bytes', (stated, data, type) => {
    const content = [{ type: 'image_url', image_url: { url: `data:${stated};base64,${data}` } }];
    expect(chatBody({ messages: [{ role: 'user', content }] }).messages).toEqual([
      { role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: type, data } }] },
    ]);
  });

  it('refuses data of which nobody says what it is', () => {
    const content = [{ type: 'image_url', image_url: { url: 'data:;base64,AA==' } }];
    expect(() => chatBody({ messages: [{ role: 'user', content }] })).toThrow('the type of the data must be stated');
  });

  it('quotes only the beginning of what it refuses', () => {
    const content = [{ type: `${'x'.repeat(550_000)}` }];
    let message = '';
    try {
      chatBody({ messages: [{ role: 'user', content }] });
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toMatch(/^messages\.0\.content\.0 of type x+$/);
    expect(message.length).toBeLessThanOrEqual(500);
  });

  it('lets the channel override members', () => {
    expect(chatBody({ messages: [user] }, { paramOverride: { temperature: 0, stream: true } })).toMatchObject({
      temperature: 0,
    });
    expect(chatBody({ messages: [user] }, { paramOverride: { stream: true } })).not.toHaveProperty('stream');
  });
});
