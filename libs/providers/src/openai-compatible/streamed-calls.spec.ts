import { describe, expect, it } from '@jest/globals';
import { dataOf, play, replyContext } from '../../test/factories.js';
import type { JsonObject } from '../adapter.js';
import { objectOf, textOf } from '../json/json.js';
import { openAiCompatible } from '../upstreams/openai-compatible.js';

const { messages } = openAiCompatible({ defaultBaseUrl: 'https://api.example.com', streamUsage: 'ask' });

const frameOf = (choice: JsonObject): string => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`;

const END = frameOf({ delta: {}, finish_reason: 'tool_calls' });

/** The blocks a client of messages gets for these deltas: texts, and calls as id, name and arguments. */
function blocksOf(deltas: JsonObject[], end = END): string[][] {
  const frames = [...deltas.map((delta) => frameOf({ delta })), end, 'data: [DONE]\n\n'];
  const stream = messages.openStream(replyContext());
  const blocks: { begun: string[]; text: string }[] = [];
  for (const { content_block: block, delta } of dataOf(play(stream, Buffer.from(frames.join(''))))) {
    const { id, name } = objectOf(block);
    const { text, partial_json: piece } = objectOf(delta);
    if (block) blocks.push({ begun: [textOf(id), textOf(name)].filter(Boolean), text: '' });
    const last = blocks.at(-1);
    if (last) last.text += textOf(text) + textOf(piece);
  }
  return blocks.map(({ begun, text }) => [...begun, text]);
}

/** A delta with one piece of a call. */
const piece = (args: string, rest: JsonObject = {}, name?: string): JsonObject => ({
  tool_calls: [{ ...rest, function: { arguments: args, name } }],
});

describe('a streamed call whose id comes late', () => {
  it('is one call, with that id if it comes before the arguments', () => {
    expect(blocksOf([piece('', { index: 0 }, 'f'), piece('{}', { index: 0, id: 'x1' }, 'f')])).toEqual([
      ['x1', 'f', '{}'],
    ]);
    expect(blocksOf([piece('{', { index: 0 }, 'f'), piece('}', { index: 0, id: 'x1' }, 'f')])).toEqual([
      ['toolu_r1_0', 'f', '{}'],
    ]);
  });

  it('has its name, if that comes late', () => {
    expect(blocksOf([piece('', { index: 0, id: 'x1' }), piece('{}', { index: 0 }, 'f')])).toEqual([['x1', 'f', '{}']]);
  });

  it('is there without one', () => {
    const call = ['toolu_r1_0', 'f', ''];
    expect(blocksOf([piece('', { index: 0 }, 'f')])).toEqual([call]);
    expect(blocksOf([piece('', { index: 0 }, 'f')], '')).toEqual([call]);
    expect(blocksOf([piece('', { index: 0 }, 'f'), piece('{}', { index: 1, id: 'x' }, 'g')])).toEqual([
      call,
      ['x', 'g', '{}'],
    ]);
    expect(blocksOf([piece('', { index: 0 }, 'f'), { content: 'so' }])).toEqual([call, ['so']]);
  });
});

describe('streamed calls that are told apart by their ids', () => {
  it('go on by their ids where the upstream does not number them', () => {
    const both = { tool_calls: ['a', 'b'].map((id) => ({ id, function: { name: 'f', arguments: '{"x":' } })) };
    expect(blocksOf([both, piece('1}', { id: 'b' }, ''), piece('2}', { id: 'a' }, '')])).toEqual([
      ['a', 'f', '{"x":2}'],
      ['b', 'f', '{"x":1}'],
    ]);
  });

  it.each(['f', ''])('go on by their ids where all have one number, also with the name: %j', (name) => {
    const of = (id: string, args: string, called = name): JsonObject => piece(args, { index: 0, id }, called);
    expect(blocksOf([of('a', '', 'f'), of('b', '', 'f'), of('a', '{"x":'), of('b', '{}'), of('a', '1}')])).toEqual([
      ['a', 'f', '{"x":1}'],
      ['b', 'f', '{}'],
    ]);
  });

  it('go on without an id where the last piece of that number was', () => {
    const [a, b] = ['a', 'b'].map((id) => piece('', { index: 0, id }, id));
    expect(blocksOf([a ?? {}, b ?? {}, piece('{', { index: 0, id: 'a' }), piece('}', { index: 0 })])).toEqual([
      ['a', 'a', '{}'],
      ['b', 'b', ''],
    ]);
  });

  it('are as many as their numbers where all have one id', () => {
    const of = (index: number, args: string): JsonObject => piece(args, { index, id: 'x' }, 'f');
    expect(blocksOf([of(0, '{"x":'), of(1, '{"y":'), of(0, '1}'), of(1, '2}')])).toEqual([
      ['x', 'f', '{"x":1}'],
      ['x', 'f', '{"y":2}'],
    ]);
  });
});

describe('a streamed call with another id in every piece', () => {
  const pieces = (...args: string[]): JsonObject[] =>
    args.map((text, at) => piece(text, { index: 0, id: `c${at}` }, 'f'));

  it('is one call', () => {
    expect(blocksOf(pieces('{"x', '":[{}],"y":"', '}"', '}', ''))).toEqual([['c0', 'f', '{"x":[{}],"y":"}"}']]);
  });

  it('ends with its arguments', () => {
    expect(blocksOf(pieces('{"x":', '1}', '{"x":', '2}'))).toEqual([
      ['c0', 'f', '{"x":1}'],
      ['c2', 'f', '{"x":2}'],
    ]);
  });

  it('ends where another tool is called', () => {
    expect(blocksOf([...pieces('{"x":'), piece('{}', { index: 0, id: 'b' }, 'g')])).toEqual([
      ['c0', 'f', '{"x":'],
      ['b', 'g', '{}'],
    ]);
  });
});
