import { describe, expect, it } from '@jest/globals';
import { channelTarget, clientRequest, replyContext } from '../../test/factories.js';
import type { JsonObject, TextAdapter } from '../adapter.js';
import { findProvider } from '../registry.js';
import { requestedSearches, madeSearches, wrongChatSearch } from './search-tools.js';

const responses = findProvider(1)?.responses as TextAdapter;
const context = replyContext({ requestId: '0199-aa' });

const call = (id: string, fields: JsonObject = {}): JsonObject => ({
  ...{ id, type: 'web_search_call', status: 'completed' },
  action: { type: 'search', query: 'weather in Ulm' },
  ...fields,
});
const inFiles: JsonObject = {
  ...{ id: 'fs_1', type: 'file_search_call', status: 'completed' },
  ...{ queries: ['deep research'], results: null },
};
const message: JsonObject = {
  ...{ id: 'msg_1', type: 'message', status: 'completed', role: 'assistant' },
  content: [{ type: 'output_text', text: 'It rains.', annotations: [] }],
};
const output = [
  call('ws_1'),
  call('ws_2', { action: { type: 'open_page', url: 'https://example.com' } }),
  call('ws_3', { action: undefined }),
  call('ws_4', { status: 'failed' }),
  inFiles,
  message,
];
const usage = { input_tokens: 328, output_tokens: 9, total_tokens: 337 };

describe('options of a search in a chat', () => {
  it.each([{}, { search_context_size: 'low' }, { search_context_size: null }, null, false])('are well: %j', (asked) => {
    expect(wrongChatSearch({ web_search_options: asked })).toBeUndefined();
    expect(wrongChatSearch({})).toBeUndefined();
  });

  it.each([[[]], ['x'], [0], [true]])('are none: %j', (asked) => {
    expect(wrongChatSearch({ web_search_options: asked })).toEqual({
      path: 'web_search_options',
      expected: 'an object',
    });
  });

  it.each(['zork', 7, ''])('have no size %j', (size) => {
    const path = 'web_search_options.search_context_size';
    const wrong = { path, expected: 'low, medium or high' };
    expect(wrongChatSearch({ web_search_options: { search_context_size: size } })).toEqual(wrong);
  });
});

describe('askedSearches', () => {
  it.each<[string, JsonObject, unknown]>([
    ['no tool', {}, undefined],
    ['a function', { tools: [{ type: 'function', name: 'web_search' }] }, undefined],
    ["Claude's own", { tools: [{ type: 'web_search_20250305' }] }, undefined],
    ['a search', { tools: [{ type: 'web_search' }] }, { web: 10, webContext: 'medium' }],
    [
      'a search with a size and a limit',
      { tools: [{ type: 'web_search_preview', search_context_size: 'low' }], max_tool_calls: 2 },
      { web: 2, webContext: 'low' },
    ],
    ['an unknown size', { tools: [{ type: 'web_search', search_context_size: 7 }] }, { web: 10, webContext: 'medium' }],
    [
      'several sizes, of which the largest counts',
      { tools: ['low', 'high', 'medium'].map((size) => ({ type: 'web_search', search_context_size: size })) },
      { web: 10, webContext: 'high' },
    ],
    ['files', { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }], max_tool_calls: null }, { file: 10 }],
  ])('%s', (_, json, expected) => expect(requestedSearches(json, 'responses')).toEqual(expected));

  it.each<[string, JsonObject, unknown]>([
    ['nothing', {}, undefined],
    ['no options', { web_search_options: null }, undefined],
    ['options', { web_search_options: {} }, { web: 1, webContext: 'medium' }],
    ['a size', { web_search_options: { search_context_size: 'high' } }, { web: 1, webContext: 'high' }],
    ['a tool of another dialect', { tools: [{ type: 'web_search' }] }, undefined],
  ])('of chat: %s', (_, json, expected) => expect(requestedSearches(json, 'chat')).toEqual(expected));

  it('is for channels whose upstream takes its options in a chat', () => {
    const types = Array.from({ length: 60 }, (_, type) => type).filter(
      (type) => findProvider(type)?.chat?.runsSearches,
    );
    expect(types).toEqual([1, 8, 20, 27]);
  });
});

describe("Claude's own search", () => {
  const messages = findProvider(14)?.messages as TextAdapter;
  const search = (fields: JsonObject = {}): JsonObject => ({
    type: 'web_search_20250305',
    name: 'web_search',
    ...fields,
  });
  const own = { name: 'f', input_schema: { type: 'object' } };
  const results: JsonObject = {
    ...{ type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1' },
    content: [{ type: 'web_search_result', url: 'https://example.com', title: 'Ulm', encrypted_content: 'x' }],
  };
  const failed = { ...results, content: { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' } };
  const usage = { input_tokens: 100, output_tokens: 9, server_tool_use: { web_search_requests: 2 } };

  it('is held for as many searches as its limit allows', () => {
    expect(requestedSearches({ tools: [own, search({ max_uses: 3 })] }, 'messages')).toEqual({ web: 3 });
    expect(requestedSearches({ tools: [search()] }, 'messages')).toEqual({ web: 10 });
    expect(requestedSearches({ tools: [own] }, 'messages')).toBeUndefined();
    expect(requestedSearches({ tools: [search({ type: 'web_search_20260209' })] }, 'messages')).toBeUndefined();
  });

  it('is limited where the client sets no limit, and nothing else of the tools is touched', () => {
    const told = (tools: JsonObject[]): unknown => {
      const request = clientRequest({ model: 'm', max_tokens: 9, tools }, { dialect: 'anthropic' });
      return (JSON.parse(String(messages.toUpstream(request, channelTarget({ channelType: 14 })).body)) as JsonObject)
        .tools;
    };
    expect(told([own, search()])).toEqual([own, search({ max_uses: 10 })]);
    expect(told([own, search({ max_uses: 3 })])).toEqual([own, search({ max_uses: 3 })]);
  });

  it('is counted by what the answer states, and by what was found where it states nothing', () => {
    const content = [results, failed, { type: 'text', text: 'It rains.' }];
    const reply = messages.fromReply(Buffer.from(JSON.stringify({ type: 'message', content, usage })), context);
    expect(reply.usage).toMatchObject({ inputTokens: 100, searches: { web: 2 } });
    expect(reply.text()).toMatchObject({ text: 'It rains.', searches: { web: 1 } });
  });

  it('is counted in a stream', () => {
    const event = (data: JsonObject): Buffer =>
      Buffer.from(`event: ${String(data.type)}\ndata: ${JSON.stringify(data)}\n\n`);
    const stream = messages.openStream(context);
    stream.push(event({ type: 'message_start', message: { usage: { input_tokens: 50, output_tokens: 1 } } }));
    stream.push(event({ type: 'content_block_start', index: 0, content_block: results }));
    expect(stream.text().searches).toEqual({ web: 1 });
    stream.push(event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage }));
    expect(stream.usage()).toMatchObject({ inputTokens: 100, outputTokens: 9, searches: { web: 2 } });
    stream.dispose();
  });
});

describe('searches of an answer', () => {
  it('are those that were completed, and no opened page', () => {
    expect(madeSearches(output)).toEqual({ web: 2, file: 1 });
    expect(madeSearches('x')).toEqual({ web: 0, file: 0 });
  });

  it('are in the usage of a whole one, and beside its text', () => {
    const reply = responses.fromReply(Buffer.from(JSON.stringify({ status: 'completed', output, usage })), context);
    expect(reply.usage).toMatchObject({ inputTokens: 328, outputTokens: 9, searches: { web: 2, file: 1 } });
    expect(reply.text()).toMatchObject({ text: 'It rains.', searches: { web: 2, file: 1 } });
    const plain = responses.fromReply(Buffer.from(JSON.stringify({ output: [message], usage })), context);
    expect([plain.usage, plain.text()].map((part) => Object.keys(part ?? {}).includes('searches'))).toEqual([
      false,
      false,
    ]);
  });

  const event = (type: string, data: JsonObject): Buffer =>
    Buffer.from(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  const items = output.map((item, place) => event('response.output_item.done', { output_index: place, item }));

  it.each([
    ['that repeats its items', output],
    ['that does not', []],
  ])('are counted in a stream as they are done, once, also by an end %s', (_, repeated) => {
    const stream = responses.openStream(context);
    for (const item of items.slice(0, 1)) stream.push(item);
    expect(stream.text().searches).toEqual({ web: 1 });
    for (const item of items.slice(1)) stream.push(item);
    stream.push(event('response.completed', { response: { status: 'completed', output: repeated, usage } }));
    expect(stream.usage()).toMatchObject({ inputTokens: 328, searches: { web: 2, file: 1 } });
    expect(stream.text().searches).toEqual({ web: 2, file: 1 });
    stream.dispose();
  });
});

describe('an upstream that may search', () => {
  const told = (json: JsonObject): unknown => {
    const request = clientRequest({ model: 'm', input: 'x', ...json }, { dialect: 'responses' });
    const bodies = [
      responses.toUpstream(request, channelTarget()).body,
      responses.unchanged?.(request, channelTarget())?.body,
    ];
    return bodies.map((body) => (JSON.parse(String(body)) as JsonObject).max_tool_calls);
  };

  it('is told how often, where the client does not say', () => {
    const tools = [{ type: 'web_search' }];
    expect(told({ tools })).toEqual([10, 10]);
    expect(told({ tools, max_tool_calls: null })).toEqual([10, 10]);
    expect(told({ tools, max_tool_calls: 25 })).toEqual([25, 25]);
    expect(told({ tools: [{ type: 'function', name: 'f' }] })).toEqual([undefined, undefined]);
  });
});
