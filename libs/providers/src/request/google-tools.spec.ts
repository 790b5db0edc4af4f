import { describe, expect, it } from '@jest/globals';
import { channelTarget, clientRequest, play, replyContext } from '../../test/factories.js';
import type { JsonObject } from '../adapter.js';
import { namedGoogleTools } from './google-tools.js';
import { findProvider, providers } from '../registry.js';
import { requestedSearches } from './search-tools.js';
import { gemini } from '../upstreams/gemini.js';

const target = channelTarget({ channelType: 24, model: 'gemini-2.5-flash', key: 'AIza' });
const messages = [{ role: 'user', content: 'hi' }];
const functions = (...names: string[]): JsonObject[] => names.map((name) => ({ type: 'function', function: { name } }));
const sent = (json: JsonObject): JsonObject =>
  JSON.parse(gemini.chat.toUpstream(clientRequest({ messages, ...json }), target).body?.toString() ?? '') as JsonObject;

describe("Google's own tools", () => {
  it('are switched on by the names of functions, beside those of the client', () => {
    expect(sent({ tools: functions('googleSearch', 'googleSearch') }).tools).toEqual([{ googleSearch: {} }]);
    expect(sent({ tools: functions('time', 'googleSearch', 'codeExecution'), tool_choice: 'required' })).toMatchObject({
      tools: [{ codeExecution: {} }, { googleSearch: {} }, { functionDeclarations: [{ name: 'time' }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY' } },
    });
  });

  it('are chosen by the model alone', () => {
    const chosen = { type: 'function', function: { name: 'codeExecution' } };
    for (const json of [
      { tools: functions('time', 'codeExecution'), tool_choice: chosen },
      { tools: functions('codeExecution'), tool_choice: 'auto' },
    ])
      expect(sent(json)).not.toHaveProperty('toolConfig');
  });

  it('are ignored when the client forbids tool calls', () => {
    expect(sent({ tools: functions('googleSearch'), tool_choice: 'none' })).not.toHaveProperty('tools');
    expect(sent({ tools: functions('time', 'googleSearch'), tool_choice: 'none' })).toMatchObject({
      tools: [{ functionDeclarations: [{ name: 'time' }] }],
      toolConfig: { functionCallingConfig: { mode: 'NONE' } },
    });
    const none = { type: 'allowed_tools', mode: 'none', tools: [] };
    for (const choice of ['none', { type: 'none' }])
      expect(namedGoogleTools({ tools: functions('googleSearch'), tool_choice: choice })).toEqual([]);
    for (const choice of ['auto', null, none, { type: 'function', function: { name: 'none' } }])
      expect(namedGoogleTools({ tools: functions('googleSearch'), tool_choice: choice })).toEqual(['googleSearch']);
  });

  it('are found by name in each dialect that is written anew', () => {
    expect(namedGoogleTools({ tools: functions('x', 'googleSearch') })).toEqual(['googleSearch']);
    expect(
      namedGoogleTools({ tools: [{ name: 'googleSearch' }, { type: 'function', name: 'codeExecution' }] }),
    ).toEqual(['codeExecution', 'googleSearch']);
    for (const tools of [null, 'googleSearch', [null, 'googleSearch', { function: 'googleSearch' }, { name: 7 }]])
      expect(namedGoogleTools({ tools })).toEqual([]);
  });

  it("are searches of Google's own dialect as well", () => {
    const asked = (...tools: JsonObject[]) => requestedSearches({ tools }, 'gemini');
    expect(asked({ googleSearch: {} }, { functionDeclarations: [] })).toEqual({ google: 10 });
    expect([asked({ code_execution: {} }), asked({ functionDeclarations: [] })]).toEqual([{ google: 0 }, undefined]);
    const types = Object.keys(providers)
      .map(Number)
      .filter((type) => findProvider(type)?.gemini?.runsSearches);
    expect(types).toEqual([24, 41]);
  });

  it('are run by Gemini and by Vertex', () => {
    const types = Object.keys(providers)
      .map(Number)
      .filter((type) => findProvider(type)?.chat?.runsGoogleTools);
    expect(types).toEqual([24, 41]);
  });

  const chunk = (text: string, fields: JsonObject = {}): JsonObject => ({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, ...fields }],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 3, totalTokenCount: 8 },
  });
  const grounded = (...queries: string[]): JsonObject => ({
    groundingMetadata: { webSearchQueries: queries, groundingChunks: [{ web: { uri: 'https://example.com' } }] },
  });

  it('report each search of a complete answer', () => {
    const read = (fields: JsonObject) =>
      gemini.chat.fromReply(
        Buffer.from(JSON.stringify(chunk('x', { finishReason: 'STOP', ...fields }))),
        replyContext(),
      );
    const reply = read(grounded('a', 'b'));
    expect([reply.usage?.searches, reply.text().searches]).toEqual([{ google: 2 }, { google: 2 }]);
    expect(read(grounded()).usage?.searches).toEqual({ google: 1 });
    expect(read({}).usage).not.toHaveProperty('searches');
  });

  it.each(['chat', 'gemini'] as const)(
    'tell of each search in a stream of %s once, however often it is repeated',
    (name) => {
      const stream = gemini[name].openStream(replyContext());
      const chunks = [chunk('a', grounded('q')), chunk('b', grounded('q', 'r')), chunk('c', { finishReason: 'STOP' })];
      play(stream, Buffer.from(chunks.map((json) => `data: ${JSON.stringify(json)}\n\n`).join('')));
      expect([stream.usage()?.searches, stream.text().searches]).toEqual([{ google: 2 }, { google: 2 }]);
    },
  );

  it.each(['chat', 'gemini'] as const)(
    'tell of each search in a stream of %s by any answer, in chunks with or without usage',
    (name) => {
      const stream = gemini[name].openStream(replyContext());
      const { usageMetadata: _, ...late } = chunk('', { ...grounded('z'), index: 2, finishReason: 'STOP' });
      const chunks = [
        chunk('a', { ...grounded('q', 'r'), index: 0 }),
        chunk('b', { ...grounded('s'), index: 1, finishReason: 'STOP' }),
        chunk('c', { index: 0, finishReason: 'STOP' }),
        late,
      ];
      play(stream, Buffer.from(chunks.map((json) => `data: ${JSON.stringify(json)}\n\n`).join('')));
      for (const told of [stream.usage(), stream.usageSoFar(), stream.text()])
        expect(told?.searches).toEqual({ google: 4 });
    },
  );

  it.each(['chat', 'gemini'] as const)('do not make a usage of %s that was stated too early the last one', (name) => {
    const stream = gemini[name].openStream(replyContext());
    const { usageMetadata: _, ...late } = chunk('much that is said', { ...grounded('q'), finishReason: 'STOP' });
    play(stream, Buffer.from([chunk('a'), late].map((json) => `data: ${JSON.stringify(json)}\n\n`).join('')));
    expect([stream.usage(), stream.text().searches]).toEqual([undefined, { google: 1 }]);
  });
});
