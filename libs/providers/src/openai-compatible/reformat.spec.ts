import { describe, expect, it } from '@jest/globals';
import { dataOf, replyContext } from '../../test/factories.js';
import type { JsonObject } from '../adapter.js';
import { openAiCompatible } from '../upstreams/openai-compatible.js';

const { chat } = openAiCompatible({ defaultBaseUrl: 'https://api.example.com', streamUsage: 'ask' });

/** The index and content of every choice of every chunk that a client gets whose channel moves reasoning into the content. */
function sent(...chunks: JsonObject[]): unknown[][] {
  const stream = chat.openStream(replyContext({ setting: { thinking_to_content: true } }));
  return chunks
    .map((chunk) => stream.push(Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`)))
    .flatMap((bytes) => dataOf(bytes?.toString() ?? ''))
    .map(({ choices }) => (choices as { index: number; delta: JsonObject }[]).map((c) => [c.index, c.delta.content]))
    .map((choices) => choices.flat());
}

describe('reasoning that is moved into the content of several answers', () => {
  it('has think tags in each of them', () => {
    const delta = (index: number, change: JsonObject): JsonObject => ({ choices: [{ index, delta: change }] });
    expect(
      sent(
        delta(0, { reasoning_content: 't0' }),
        delta(1, { reasoning_content: 't1' }),
        delta(0, { content: 'a0' }),
        delta(1, { content: 'a1' }),
        delta(0, { content: 'more' }),
      ),
    ).toEqual([
      [0, '<think>\nt0'],
      [1, '<think>\nt1'],
      [0, '\n</think>\n'],
      [0, 'a0'],
      [1, '\n</think>\n'],
      [1, 'a1'],
      [0, 'more'],
    ]);
  });

  it('leaves no answer of a chunk with several out', () => {
    const both = (one: JsonObject, other: JsonObject): JsonObject => ({
      choices: [
        { index: 0, delta: one },
        { index: 1, delta: other },
      ],
    });
    expect(sent(both({ reasoning: 't0' }, { content: 'a1' }), both({ content: 'a0' }, { content: ' b1' }))).toEqual([
      [0, '<think>\nt0'],
      [1, 'a1'],
      [0, '\n</think>\n'],
      [0, 'a0'],
      [1, ' b1'],
    ]);
  });
});
