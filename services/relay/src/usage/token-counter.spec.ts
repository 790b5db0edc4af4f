import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { Lifecycle, Logger } from '@tollgate/chassis';
import { countWithin, cutRuns } from './count-tokens.worker.js';
import { FairQueue } from './fair-queue.js';
import { TokenCounter } from './token-counter.js';

const counted = (text: string): number => cutRuns(text).reduce((sum, piece) => sum + countTokens(piece), 0);

describe('cutRuns', () => {
  it('loses nothing and leaves no run longer than allowed', () => {
    const unit = fc.constantFrom('a', 'b', ' ', '\n', '😀', '中', '!');
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 400 }), fc.integer({ min: 2, max: 20 }), (units, most) => {
        const text = units.join('');
        const pieces = cutRuns(text, most);
        expect(pieces.join('')).toBe(text);
        // A cut may be one character late to keep a surrogate pair together.
        for (const piece of pieces)
          for (const run of piece.match(/\s+|\S+/g) ?? []) expect(run.length).toBeLessThanOrEqual(most + 1);
      }),
    );
  });

  it('cuts no character in two', () => {
    const pieces = cutRuns('😀'.repeat(1000), 7);
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
  });

  it('gives plain text in few pieces', () => {
    expect(cutRuns('The quick brown fox. '.repeat(100))).toHaveLength(1);
    expect(cutRuns('word '.repeat(100_000)).length).toBeLessThan(40);
  });

  it('hardly changes the count', () => {
    const texts = [
      'The quick brown fox jumps over the lazy dog. '.repeat(50),
      '这是一个没有空格的很长的句子，还有标点。'.repeat(50),
      'https://example.com/a/very/long/path?with=some&query=parameters#and-a-fragment '.repeat(20),
    ];
    for (const text of texts) {
      const exact = countTokens(text);
      expect(Math.abs(counted(text) - exact)).toBeLessThanOrEqual(exact * 0.02);
    }
  });
});

describe('countWithin', () => {
  const text = 'x'.repeat(6400); // a hundred pieces
  const takes = (ms: number) => {
    let at = 5000;
    return { now: () => at, countTokens: () => ((at += ms), 3) };
  };

  it('stops at its deadline and returns how far it read', () => {
    const slow = takes(400);
    expect(countWithin([text], 1000, slow.countTokens, slow.now)).toEqual({ tokens: 9, read: 192 });
  });

  it('reads all that there is time for', () => {
    const fast = takes(10);
    expect(countWithin([text], 1000, fast.countTokens, fast.now)).toEqual({ tokens: 300, read: 6400 });
  });

  it('counts each text independently, and includes the separators in what was read', () => {
    const hi = countTokens('hi');
    expect(countWithin(['hi', '', 'hi'], 1000, (piece) => countTokens(piece))).toEqual({ tokens: 2 * hi, read: 6 });
  });
});

describe('FairQueue', () => {
  it('serves the owners in turn, however many jobs another one has', () => {
    const queue = new FairQueue<string>(100, 100);
    for (const job of ['a1', 'a2', 'a3', 'a4']) queue.add(1, job);
    queue.add(2, 'b1');
    queue.add(3, 'c1');
    queue.add(2, 'b2');
    const order = Array.from({ length: 8 }, () => queue.next());
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4', undefined]);
  });

  it('limits the jobs, in total and per owner', () => {
    const queue = new FairQueue<string>(3, 2);
    expect([1, 1, 1, 2, 3].map((owner) => queue.add(owner, 'job'))).toEqual([true, true, false, true, false]);
    queue.next();
    expect(queue.add(3, 'job')).toBe(true);
  });
});

describe('TokenCounter', () => {
  it('counts aside for all that ask at the same time', async () => {
    const lifecycle = new Lifecycle();
    const counter = new TokenCounter(Logger.root('silent'), lifecycle);
    const prompt = 'The prompt.';
    const parts = Array.from({ length: 20 }, (_, index) => 'word '.repeat(index + 1));
    const counts = await Promise.all(parts.map((part) => counter.countAside(() => [part, prompt], 'gpt-4o')));
    expect(counts).toEqual(parts.map((part) => [countTokens(part), countTokens(prompt)]));
    await lifecycle.drain();
  });
});
