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

const GENERATED = 'toolu_r10';

describe('a streamed call', () => {
  it('is one call, also where its id comes late or its pieces repeat the name', () => {
    expect(blocksOf([piece('', { index: 0 }, 'f'), piece('{}', { index: 0, id: 'x1' }, 'f')])).toEqual([
      [GENERATED, 'f', '{}'],
    ]);
    expect(
      blocksOf(['{"x', '":[{}],"y":"', '}"', '}', ''].map((text) => piece(text, { index: 0, id: 'a' }, 'f'))),
    ).toEqual([['a', 'f', '{"x":[{}],"y":"}"}']]);
  });

  it('is one call where each of its pieces has another id', () => {
    const pieces = ['{"x', '":[{}],"y":"', '}"', '}'].map((text, at) => piece(text, { index: 0, id: `c${at}` }, 'f'));
    expect(blocksOf(pieces)).toEqual([['c0', 'f', '{"x":[{}],"y":"}"}']]);
  });

  it('goes on where the piece without a name has another id', () => {
    const of = (id: string, args: string, name = ''): JsonObject => piece(args, { index: 0, id }, name);
    expect(blocksOf([of('a', '', 'f'), of('null', '{"x":1}'), of('b', '', 'f'), of('null', '{"y":2}')])).toEqual([
      ['a', 'f', '{"x":1}'],
      ['b', 'f', '{"y":2}'],
    ]);
  });
});

describe('streamed calls that all have the same number', () => {
  const of = (id: string, name: string, args: string): JsonObject => piece(args, { index: 0, id }, name);

  it('are told apart, whole or in pieces, by their names and by the ends of their arguments', () => {
    expect(blocksOf([of('a', 'f', '{"x":1}'), of('b', 'f', '{"x":2}'), of('c', 'g', '')])).toEqual([
      ['a', 'f', '{"x":1}'],
      ['b', 'f', '{"x":2}'],
      ['c', 'g', ''],
    ]);
    expect(blocksOf([of('a', 'f', '{"x":'), of('a', '', '1}'), of('b', 'f', '{'), piece('}', { index: 0 })])).toEqual([
      ['a', 'f', '{"x":1}'],
      ['b', 'f', '{}'],
    ]);
  });

  it.each(['', 'null'])('are told apart where each has the id %j', (id) => {
    const blocks = blocksOf([of(id, 'f', '{"x":1}'), of(id, 'g', '{}'), of(id, 'f', '{"x":2}')]);
    expect(blocks.map(([, name, args]) => [name, args])).toEqual([
      ['f', '{"x":1}'],
      ['g', '{}'],
      ['f', '{"x":2}'],
    ]);
  });
});

describe('streamed calls without numbers', () => {
  it('go on by their ids, or else by their position', () => {
    const both = { tool_calls: ['a', 'b'].map((id) => ({ id, function: { name: 'f', arguments: '{"x":' } })) };
    const more = { tool_calls: ['3', '4'].map((text) => ({ function: { arguments: text } })) };
    expect(blocksOf([both, more, piece('1}', { id: 'b' }, ''), piece('2}', { id: 'a' }, '')])).toEqual([
      ['a', 'f', '{"x":32}'],
      ['b', 'f', '{"x":41}'],
    ]);
  });

  it('are as many as their ids', () => {
    expect(blocksOf([piece('', { id: 'a' }, 'f'), piece('{}', { id: 'b' }, 'f'), piece('', { id: 'c' }, 'f')])).toEqual(
      [
        ['a', 'f', ''],
        ['b', 'f', '{}'],
        ['c', 'f', ''],
      ],
    );
  });
});

describe('streamed calls with numbers', () => {
  it('are as many as their numbers where all have one id', () => {
    const of = (index: number, args: string): JsonObject => piece(args, { index, id: 'x' }, 'f');
    expect(blocksOf([of(0, '{"x":'), of(1, '{"y":'), of(0, '1}'), of(1, '2}')])).toEqual([
      ['x', 'f', '{"x":1}'],
      ['x', 'f', '{"y":2}'],
    ]);
  });

  it('end the stream when they are too many, however large their numbers are', () => {
    const deltas = Array.from({ length: 2000 }, (_, at) =>
      piece('{}', { index: 1e300 + at * 1e290, id: `c${at}` }, 'f'),
    );
    const stream = messages.openStream(replyContext());
    play(stream, Buffer.from(deltas.map((delta) => frameOf({ delta })).join('')));
    expect(stream.fault?.message).toContain('more than 1024');
  });
});
