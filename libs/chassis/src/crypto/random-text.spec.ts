import { describe, expect, it } from '@jest/globals';
import { CLEAR_LETTERS_AND_DIGITS, LETTERS_AND_DIGITS, randomText } from './random-text.js';

describe('random text', () => {
  it.each([LETTERS_AND_DIGITS, CLEAR_LETTERS_AND_DIGITS, 'ab'])(
    'has its length, and all characters of %s',
    (alphabet) => {
      const text = randomText(4_000, alphabet);
      expect(text).toHaveLength(4_000);
      expect([...new Set(text)].sort()).toEqual([...alphabet].sort());
    },
  );

  it('is another each time', () => {
    expect(randomText(16, LETTERS_AND_DIGITS)).not.toBe(randomText(16, LETTERS_AND_DIGITS));
  });
});
