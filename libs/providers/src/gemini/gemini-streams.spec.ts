import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dataOf, fixture, play, replyContext } from '../../test/factories.js';
import type { JsonObject, TextAdapter } from '../adapter.js';
import { gemini } from '../upstreams/gemini.js';

interface Outcome {
  complete: boolean;
  text: string;
  usage?: (number | undefined)[];
  malformed?: number;
  fault?: string;
}

const text = 'Grüße 你好!';
const outcomes: [name: string, expected: Outcome, blockedIsAnswer?: Outcome][] = [
  ['text', { complete: true, text, usage: [12, 0, 4, undefined] }],
  ['thinking-and-tools', { complete: true, text: 'HmAskingweather{"city":"Ulm"}time{}', usage: [10, 5, 29, 9] }],
  ['max-tokens', { complete: true, text: 'Grüße', usage: [12, 0, 1, undefined] }],
  ['two-candidates', { complete: true, text: 'abab', usage: [12, 0, 4, undefined] }],
  ['malformed-event', { complete: true, text, usage: [12, 0, 4, undefined], malformed: 1 }],
  ['cut', { complete: false, text: 'Grüße', malformed: 1 }],
  ['error-midway', { complete: false, text: 'Grüße', fault: 'The model is overloaded.' }],
  [
    'blocked',
    { complete: false, text: '', fault: 'the prompt was blocked by the upstream: PROHIBITED_CONTENT' },
    { complete: true, text: '', usage: [12, 0, 0, undefined] },
  ],
];

const outcomeOf = (adapter: TextAdapter, bytes: Buffer, sizes: number[]) => {
  const stream = adapter.openStream(replyContext({ includeUsage: true }));
  const sent = play(stream, bytes, sizes);
  const usage = stream.usage();
  const outcome = {
    complete: stream.isComplete,
    usage: usage && [usage.inputTokens, usage.cacheReadTokens, usage.outputTokens, usage.reasoningTokens],
    text: stream.text().text,
    malformed: stream.malformedEvents,
    fault: stream.fault?.message,
  };
  return { sent, outcome };
};

const recorded = (name: string): Buffer => fixture(import.meta.dirname, `${name}.sse`);

describe.each<[string, TextAdapter]>([
  ['a Gemini client', gemini.gemini],
  ['a chat client', gemini.chat],
  ['an Anthropic client', gemini.messages],
])('a stream of Gemini for %s', (_, adapter) => {
  it.each(outcomes)('of %s has the outcome fixed for it, whatever the chunking', (name, expected, own = expected) => {
    const bytes = recorded(name);
    const whole = outcomeOf(adapter, bytes, []);
    const wanted = adapter === gemini.gemini ? own : expected;

    expect(whole.outcome).toEqual({ usage: undefined, fault: undefined, malformed: 0, ...wanted });
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 30 }), (sizes) => {
        expect(outcomeOf(adapter, bytes, sizes)).toEqual(whole);
      }),
      { numRuns: 30 },
    );
  });
});

describe('a Gemini stream for a Gemini client', () => {
  it.each(['text', 'thinking-and-tools', 'two-candidates'])("of %s is the upstream's own bytes", (name) => {
    expect(outcomeOf(gemini.gemini, recorded(name), []).sent).toBe(recorded(name).toString());
  });

  it('holds back what says how the answer ended', () => {
    const stream = gemini.gemini.openStream(replyContext());

    expect(stream.push(recorded('text'))?.toString()).not.toContain('STOP');
    expect(stream.lastFrames().toString()).toContain('STOP');
  });
});

describe('a Gemini stream with several answers', () => {
  const candidate = (index: number, text: string, finishReason?: string): Buffer =>
    Buffer.from(
      `data: ${JSON.stringify({ candidates: [{ index, content: { parts: [{ text }] }, ...(finishReason && { finishReason }) }] })}\r\n\r\n`,
    );
  it.each<[string, TextAdapter]>([
    ['a Gemini client', gemini.gemini],
    ['a chat client', gemini.chat],
  ])('is complete for %s when each that began has ended', (_, adapter) => {
    const stream = adapter.openStream(replyContext());
    play(stream, Buffer.concat([candidate(0, 'a'), candidate(1, 'b'), candidate(0, '', 'STOP'), candidate(1, 'c')]));
    expect([stream.isComplete, stream.hasEnded()]).toEqual([false, false]);
    const whole = adapter.openStream(replyContext());
    play(
      whole,
      Buffer.concat([candidate(0, 'a'), candidate(1, 'b'), candidate(0, '', 'STOP'), candidate(1, '', 'STOP')]),
    );
    expect([whole.isComplete, whole.hasEnded()]).toEqual([true, true]);
  });
});

describe('a Gemini stream that fails before its first word', () => {
  it.each<[string, TextAdapter]>([
    ['a chat client', gemini.chat],
    ['an Anthropic client', gemini.messages],
  ])('sends nothing to %s, so that another channel can be tried', (_, adapter) => {
    const opening = 'data: {"usageMetadata":{"promptTokenCount":12},"modelVersion":"gemini-2.5-flash"}\n\n';
    const [, failed = ''] = recorded('error-midway').toString().split('\r\n\r\n');
    const { sent, outcome } = outcomeOf(adapter, Buffer.from(`${opening}${failed}\n\n`), []);
    expect([sent, outcome.fault]).toEqual(['', 'The model is overloaded.']);
  });
});

describe('a Gemini stream for an Anthropic client', () => {
  it('has a picture as Markdown in the text around it', () => {
    const parts = [{ text: 'A cat: ' }, { inlineData: { mimeType: 'image/png', data: 'AA==' } }, { text: ' Nice.' }];
    const events = parts.map((part, index) => ({
      candidates: [{ content: { parts: [part] }, ...(index === 2 && { finishReason: 'STOP' }) }],
    }));
    const bytes = Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
    const sent = dataOf(outcomeOf(gemini.messages, bytes, []).sent);

    expect(sent.flatMap(({ delta }) => (delta as JsonObject | undefined)?.text ?? [])).toEqual([
      'A cat: ',
      '![image](data:image/png;base64,AA==)',
      ' Nice.',
    ]);
    expect(sent.filter(({ type }) => type === 'content_block_start')).toHaveLength(1);
  });
});

describe('a Gemini stream for a chat client', () => {
  it('has thoughts, text and indexed calls as deltas, then usage', () => {
    const chunks = dataOf(outcomeOf(gemini.chat, recorded('thinking-and-tools'), []).sent);
    const choices = chunks.slice(0, -1).map((chunk) => (chunk.choices as JsonObject[])[0]);

    expect(choices.map((choice) => choice?.delta)).toEqual([
      { role: 'assistant', content: '' },
      { reasoning_content: 'Hm' },
      { content: 'Asking' },
      {
        tool_calls: [
          {
            ...{ index: 0, id: 'call_r10', type: 'function', function: { name: 'weather', arguments: '' } },
            extra_content: { google: { thought_signature: 'c2ln' } },
          },
        ],
      },
      { tool_calls: [{ index: 0, function: { arguments: '{"city":"Ulm"}' } }] },
      { tool_calls: [{ index: 1, id: 'call_r11', type: 'function', function: { name: 'time', arguments: '' } }] },
      { tool_calls: [{ index: 1, function: { arguments: '{}' } }] },
      {},
    ]);
    expect(choices.at(-1)?.finish_reason).toBe('tool_calls');
    expect(chunks.at(-1)?.usage).toMatchObject({
      prompt_tokens: 15,
      completion_tokens: 29,
      completion_tokens_details: { reasoning_tokens: 9 },
    });
  });

  it('keeps several answers apart', () => {
    const chunks = dataOf(outcomeOf(gemini.chat, recorded('two-candidates'), []).sent);
    const said = chunks.slice(1, -1).map((chunk) => (chunk.choices as JsonObject[])[0]?.index);

    expect(said).toEqual([0, 1, 0, 0, 1, 1]);
  });

  it('begins each answer with its role', () => {
    const chunks = dataOf(outcomeOf(gemini.chat, recorded('two-candidates'), []).sent);
    const roles = chunks
      .flatMap(({ choices }) => choices as { index: number; delta: JsonObject }[])
      .map(({ index, delta: { role } }) => [index, role]);

    expect(roles).toEqual([
      [0, 'assistant'],
      [0, undefined],
      [1, 'assistant'],
      ...[0, 0, 1, 1].map((at) => [at, undefined]),
    ]);
  });
});
