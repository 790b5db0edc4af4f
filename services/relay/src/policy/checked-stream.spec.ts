import { describe, expect, it } from '@jest/globals';
import { findProvider, type ReplyStream } from '@tollgate/providers';
import { normalise, sensitivePattern } from './sensitive-words.js';
import { CheckedStream, wordsFault } from './checked-stream.js';

const pattern = sensitivePattern(['forbidden', '禁词']);
const context = {
  ...{ requestId: 'r', model: 'm', includeUsage: false, setting: {}, nowSeconds: 1, promptTokens: 1, secrets: [] },
};
const chunk = (content: string, finish: string | null = null): Buffer =>
  Buffer.from(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`);
const usage = { prompt_tokens: 3, completion_tokens: 9, total_tokens: 12 };
const end = Buffer.from(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`);

function open(heldPieces: number): ReplyStream {
  const inner = findProvider(1)?.chat?.openStream(context);
  if (!inner) throw new Error('no adapter');
  return new CheckedStream(inner, {
    finds: (text) => pattern?.test(normalise(text)) === true,
    ...{ overlap: 18, heldPieces },
  });
}

const send = (stream: ReplyStream, ...pieces: Buffer[]): string =>
  pieces.map((piece) => stream.push(piece)?.toString() ?? '').join('');

describe('a stream that is checked for words', () => {
  it('is forwarded unchanged if it contains none, its last pieces later', () => {
    const pieces = ['a', 'b', 'c', 'd'].map((text) => chunk(text));
    const stream = open(2);
    expect(send(stream, ...pieces)).toBe(Buffer.concat(pieces.slice(0, 2)).toString());
    const last = chunk('', 'stop');
    const rest = send(stream, last, end);
    expect(rest + stream.lastFrames().toString()).toBe(
      `${Buffer.concat([...pieces.slice(2), last]).toString()}data: [DONE]\n\n`,
    );
    expect(stream.isComplete).toBe(true);
    expect(stream.usage()).toMatchObject({ outputTokens: 9 });
  });

  it.each([0, 1, 3])('ends at a word that comes in pieces, with %d pieces not delivered', (held) => {
    const stream = open(held);
    const before = ['one ', 'two '].map((text) => chunk(text));
    const parts = ['for', 'bid', 'den'].map((text) => chunk(text));
    const out = send(stream, ...before, ...parts, chunk(' and more'));
    expect(out).toBe(Buffer.concat([...before, ...parts.slice(0, 2)].slice(0, 4 - held)).toString());
    expect(stream.fault).toBe(wordsFault);
    expect([stream.isComplete, stream.hasEnded(), stream.usage()]).toEqual([false, false, undefined]);
    expect(stream.text().text).toBe(['one ', 'two ', 'for', 'bid'].slice(0, 4 - held).join(''));
    expect(stream.errorFrames(wordsFault, 'r').toString()).toContain('sensitive_words_detected');
  });

  it('finds a word that is hidden by invisible characters or written wide', () => {
    const stream = open(0);
    expect(send(stream, chunk('禁\u200B词'))).toBe('');
    expect(stream.fault).toBe(wordsFault);
    const wide = open(0);
    send(wide, chunk('ＦＯＲＢＩＤＤＥＮ'));
    expect(wide.fault).toBe(wordsFault);
  });

  it('holds back a bounded amount, and delivers it where the upstream broke off', () => {
    const stream = open(10_000);
    const big = chunk('x'.repeat(600_000));
    expect(send(stream, big, big)).toBe(big.toString());
    expect(stream.errorFrames({ message: 'cut', type: 't', code: 'c' }, 'r').toString()).toContain(big.toString());
    expect(stream.push(Buffer.from(': comment\n\n'))?.toString()).toBe(': comment\n\n');
  });
});
