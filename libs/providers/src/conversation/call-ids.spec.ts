import { describe, expect, it } from '@jest/globals';
import { channelTarget, clientRequest, fixture, play, replyContext } from '../../test/factories.js';
import type { JsonObject } from '../adapter.js';
import { findProvider } from '../registry.js';

const GEMINI = 24;
const CLAUDE = 14;
const context = replyContext({ requestId: '019a1b2c-3d4e-7f50-8a9b-0c1d2e3f4a5b' });
const part = { functionCall: { name: 'f', args: {} } };
const whole = { candidates: [{ content: { parts: [part, part] }, finishReason: 'STOP' }] };
const streamed = fixture(`${import.meta.dirname}/../gemini`, 'thinking-and-tools.sse');

const idsIn = (text: string): Set<string> =>
  new Set([...text.matchAll(/:"((?:call|toolu)_[^"]*)"/g)].map(([, id = '']) => id));

describe('an id for a call of an upstream that states none', () => {
  it.each(['chat', 'messages', 'responses'] as const)(
    'is its own, and short enough for OpenAI when a client of %s sends it back',
    (name) => {
      const adapter = findProvider(GEMINI)?.[name];
      if (!adapter) throw new Error('no adapter');
      const replies = [
        adapter.fromReply(Buffer.from(JSON.stringify(whole)), context).body.toString(),
        play(adapter.openStream(context), streamed),
      ];
      for (const ids of replies.map(idsIn)) {
        expect(ids.size).toBe(2);
        for (const id of ids) expect(id).toMatch(/^[\w-]{1,40}$/);
      }
    },
  );
});

describe('ids of calls for Claude, which refuses one that is not distinct', () => {
  const called = (...ids: string[]): JsonObject => ({
    role: 'assistant',
    tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
  });
  const result = (id: string, content: string): JsonObject => ({ role: 'tool', tool_call_id: id, content });
  const sent = (...messages: JsonObject[]): string[] => {
    const request = clientRequest({ messages: [{ role: 'user', content: 'hi' }, ...messages] });
    const target = channelTarget({ channelType: CLAUDE, model: 'claude-sonnet-4-5' });
    const body = findProvider(CLAUDE)?.chat?.toUpstream(request, target).body?.toString() ?? '';
    const { messages: turns } = JSON.parse(body) as { messages: { content: JsonObject[] | string }[] };
    return turns.flatMap(({ content }) =>
      typeof content === 'string'
        ? []
        : content.map(({ type, id, tool_use_id: of, content: said }) =>
            type === 'tool_use' ? `${String(id)}()` : `${String(of)}: ${String(said)}`,
          ),
    );
  };

  it.each<[string, JsonObject[], string[]]>([
    [
      'two calls of a turn have the same one',
      [called('a', 'a'), result('a', '1'), result('a', '2')],
      ['a()', 'a_2()', 'a: 1', 'a_2: 2'],
    ],
    [
      'a later turn has one of an earlier turn',
      [called('a'), result('a', '1'), called('a', 'b'), result('b', '3'), result('a', '2')],
      ['a()', 'a: 1', 'a_2()', 'b()', 'b: 3', 'a_2: 2'],
    ],
    [
      'two differ in a letter that Claude does not take',
      [called('f.0', 'f:0'), result('f:0', '2'), result('f.0', '1')],
      ['f_0()', 'f_0_2()', 'f_0_2: 2', 'f_0: 1'],
    ],
    [
      'a client has one that was made up for another call',
      [called('a', 'a', 'a_2'), result('a', '1'), result('a', '2'), result('a_2', '3')],
      ['a()', 'a_2()', 'a_2_2()', 'a: 1', 'a_2: 2', 'a_2_2: 3'],
    ],
    ['there are more results than calls', [called('a'), result('a', '1'), result('a', '2')], ['a()', 'a: 1', 'a: 2']],
  ])('are distinct, and results follow their calls, where %s', (_, messages, expected) => {
    expect(sent(...messages)).toEqual(expected);
  });
});
