import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/cl100k_base';
import { RunningCount } from './running-count.js';

const grown = (pieces: readonly string[]): { text: string; count: RunningCount; parts: string[] } => {
  const count = new RunningCount();
  const parts: string[] = [];
  let text = '';
  for (const piece of pieces) {
    text += piece;
    const part = count.next(text);
    if (part === '') continue;
    parts.push(part);
    count.add(part, countTokens(part));
  }
  return { text, count, parts };
};

describe('the running count of a growing text', () => {
  it('counts each part once, and never more than the whole has', () => {
    const word = fc.constantFrom('The ', 'fox', "n't ", ' jumps, ', '世界', '，', '42 ', '\n', 'ing');
    fc.assert(
      fc.property(fc.array(word, { maxLength: 300 }), (pieces) => {
        const { text, count, parts } = grown(pieces);
        expect(text.startsWith(parts.join(''))).toBe(true);
        expect(count.tokens).toBeLessThanOrEqual(countTokens(text));
      }),
    );
  });

  it('counts less often, the longer the text is', () => {
    const { text, count, parts } = grown(Array.from({ length: 5000 }, () => 'one more word '));
    expect(parts.length).toBeLessThan(200);
    expect(count.tokens).toBeGreaterThan(0.9 * countTokens(text));
  });

  it('makes progress in a text without words', () => {
    const { parts } = grown(Array.from({ length: 100 }, () => '0123456789'.repeat(10)));
    expect(parts.join('').length).toBeGreaterThan(9000);
  });

  it('starts over when the text was dropped for its size', () => {
    const { count } = grown(['some words of a reply ']);
    expect(count.next('')).toBe('');
    expect(count.tokens).toBe(0);
  });
});
