import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { dataOf, fixture, play, replyContext } from '../../test/factories.js';
import type { JsonObject } from '../adapter.js';
import { objectOf, textOf } from '../json/json.js';
import { openAiCompatible } from '../upstreams/openai-compatible.js';

const { messages } = openAiCompatible({ defaultBaseUrl: 'https://api.example.com', streamUsage: 'ask' });
const recorded = (name: string): Buffer => fixture(import.meta.dirname, name);

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
