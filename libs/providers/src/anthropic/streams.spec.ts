import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dataOf, fixture, play, replyContext } from '../../test/factories.js';
import { clients } from '../../test/matrix/clients.js';
import type { JsonObject, TextAdapter } from '../adapter.js';
import { type TypedEvent, typedFrame } from '../stream/stream-fold.js';
import { anthropic } from '../upstreams/anthropic.js';

const recorded = (name: string): Buffer => fixture(import.meta.dirname, name);

interface Outcome {
  complete?: boolean;
  usage?: [input: number, read: number, write: number, output: number];
  prompt?: number;
  text?: string;
  malformed?: number;
  fault?: string;
}

const text = 'Grüße 你好';
const outcomes: [name: string, outcome: Outcome][] = [
  ['text', { complete: true, usage: [10, 1000, 500, 20], prompt: 10, text }],
  ['crlf', { complete: true, usage: [10, 1000, 500, 20], prompt: 10, text }],
  ['max-tokens', { complete: true, usage: [10, 1000, 500, 20], prompt: 10, text }],
  ['usage-twice', { complete: true, usage: [11, 1000, 500, 21], prompt: 11, text }],
  ['usage-zero', { complete: true, usage: [0, 0, 0, 0], prompt: 0, text }],
  ['usage-absent', { complete: true, text }],
  ['no-terminal-event', { complete: true, usage: [10, 1000, 500, 20], prompt: 10, text }],
  ['malformed-event', { complete: true, usage: [10, 1000, 500, 20], prompt: 10, text, malformed: 1 }],
  ['cut', { complete: false, prompt: 10, text: 'Grüße', malformed: 1 }],
  ['error-first', { complete: false, text: '', fault: 'Overloaded' }],
  ['error-midway', { complete: false, prompt: 10, text: 'Grüße', fault: 'Overloaded' }],
  [
    'thinking-and-tools',
    { complete: true, usage: [3, 0, 0, 40], prompt: 3, text: 'HmAskingweather{"city":"Ulm"}time{}' },
  ],
];

const outcomeOf = (adapter: TextAdapter, bytes: Buffer, sizes: number[]) => {
  const stream = adapter.openStream(replyContext({ includeUsage: true }));
  const sent = play(stream, bytes, sizes);
  const usage = stream.usage();
  const outcome = {
    complete: stream.isComplete,
    usage: usage && [usage.inputTokens, usage.cacheReadTokens, usage.cacheWriteTokens, usage.outputTokens],
    prompt: stream.usageSoFar()?.inputTokens,
    text: stream.text().text,
    malformed: stream.malformedEvents,
    fault: stream.fault?.message,
  };
  return { sent, outcome };
};

describe.each([
  ['an Anthropic client', anthropic.messages],
  ['a chat client', anthropic.chat],
])('a stream of Anthropic for %s', (_, adapter) => {
  it.each(outcomes)('of %s has the outcome fixed for it, whatever the chunking', (name, expected) => {
    const bytes = recorded(`${name}.sse`);
    const whole = outcomeOf(adapter, bytes, []);

    expect(whole.outcome).toEqual({ usage: undefined, prompt: undefined, fault: undefined, malformed: 0, ...expected });
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 30 }), (sizes) => {
        expect(outcomeOf(adapter, bytes, sizes)).toEqual(whole);
      }),
      { numRuns: 30 },
    );
  });
});

describe('an Anthropic stream for an Anthropic client', () => {
  it("is the upstream's own bytes", () => {
    const bytes = recorded('thinking-and-tools.sse');

    expect(outcomeOf(anthropic.messages, bytes, []).sent).toBe(bytes.toString());
  });

  it('holds the terminal event back, and makes it up when the upstream left it out', () => {
    const stream = anthropic.messages.openStream(replyContext());

    expect(stream.push(recorded('text.sse'))?.toString()).not.toContain('message_stop');
    expect(stream.lastFrames().toString()).toBe('event: message_stop\ndata: {"type":"message_stop"}\n\n');
    expect(outcomeOf(anthropic.messages, recorded('no-terminal-event.sse'), []).sent).toMatch(/message_stop"\}\n\n$/);
  });
});

describe('an Anthropic stream for a chat client', () => {
  it('has reasoning, text and indexed tool calls as deltas of the first choice, then usage', () => {
    const { sent } = outcomeOf(anthropic.chat, recorded('thinking-and-tools.sse'), []);
    const chunks = dataOf(sent);
    const choices = chunks.slice(0, -1).map((chunk) => (chunk.choices as JsonObject[])[0]);

    expect(choices.map((choice) => choice?.delta)).toEqual([
      { role: 'assistant', content: '' },
      { reasoning_content: 'Hm' },
      // The thought's signature becomes a line break.
      { reasoning_content: '\n' },
      { content: 'Asking' },
      { tool_calls: [{ index: 0, id: 'toolu_a', type: 'function', function: { name: 'weather', arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '"Ulm"}' } }] },
      { tool_calls: [{ index: 1, id: 'toolu_b', type: 'function', function: { name: 'time', arguments: '' } }] },
      { tool_calls: [{ index: 1, function: { arguments: '{}' } }] },
      {},
    ]);
    expect(choices.at(-1)?.finish_reason).toBe('tool_calls');
    expect(new Set(choices.map((choice) => choice?.index))).toEqual(new Set([0]));
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 40 } });
    expect(sent).toMatch(/data: \[DONE\]\n\n$/);
  });

  it.each([
    ['an empty object where the model gave none', {}, ['']],
    ['those that its block begins with', { city: 'Ulm' }, []],
  ])('has for the arguments of a call %s', (_, input, pieces) => {
    const about = { index: 0 };
    const events: TypedEvent[] = [
      { type: 'content_block_start', ...about, content_block: { type: 'tool_use', id: 't', name: 'time', input } },
      ...pieces.map((partial_json) => ({
        type: 'content_block_delta',
        ...about,
        delta: { type: 'input_json_delta', partial_json },
      })),
      { type: 'content_block_stop', ...about },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
    ];
    const { sent } = outcomeOf(anthropic.chat, Buffer.from(events.map(typedFrame).join('')), []);
    const calls = [...sent.matchAll(/"arguments":("(?:[^"\\]|\\.)*")/g)].map(
      ([, text]) => JSON.parse(text ?? '') as string,
    );

    expect(JSON.parse(calls.join(''))).toEqual(input);
  });

  it('says length when the limit cut the reply', () => {
    const cut = recorded('max-tokens.sse').toString();
    expect(outcomeOf(anthropic.chat, Buffer.from(cut), []).sent).toContain('"finish_reason":"length"');
    const full = cut.replace('"max_tokens"', '"model_context_window_exceeded"');
    expect(outcomeOf(anthropic.chat, Buffer.from(full), []).sent).toContain('"finish_reason":"length"');
  });
});

describe.each(Object.entries(clients))(
  'a stream with a tool that Anthropic runs, for a client of %s',
  (name, client) => {
    const call = (index: number, type: string, tool: string, input: JsonObject): TypedEvent[] => [
      { type: 'content_block_start', index, content_block: { type, id: `t${index}`, name: tool, input: {} } },
      {
        type: 'content_block_delta',
        index,
        delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) },
      },
      { type: 'content_block_stop', index },
    ];
    const callsIn = (events: TypedEvent[], reason: string) => {
      const ended = [...events, { type: 'message_delta', delta: { stop_reason: reason } }, { type: 'message_stop' }];
      // Over its own dialect, a client gets the upstream's bytes unless a setting requires the reply to be converted.
      const context = replyContext({ setting: { thinking_to_content: true } });
      const stream = anthropic[name as keyof typeof clients].openStream(context);
      return client.readStream(play(stream, Buffer.from(ended.map(typedFrame).join('')))).calls;
    };

    it.each(['server_tool_use', 'mcp_tool_use'])("has nothing of a %s in the calls of the client's tools", (type) => {
      const own = call(0, type, 'web_search', { query: 'x' });

      expect(callsIn(own, 'end_turn')).toEqual([]);
      expect(callsIn([...own, ...call(1, 'tool_use', 'weather', { city: 'Ulm' })], 'tool_use')).toEqual([
        { name: 'weather', args: { city: 'Ulm' } },
      ]);
    });
  },
);
