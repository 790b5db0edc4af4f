import { describe, expect, it } from '@jest/globals';
import { StrangersWord } from './strangers-word.js';

describe('the word of a stranger on traces', () => {
  it('counts a few times a second, then the share decides', () => {
    let chance = 0.5;
    const word = new StrangersWord(0.1, () => chance);
    const granted = (count: number, now: number): number =>
      Array.from({ length: count }, () => word.flags(1, now)).filter((flags) => flags === 1).length;
    expect(granted(500, 0)).toBe(10);
    expect(granted(500, 500)).toBe(5);
    expect(granted(500, 60_000)).toBe(10);
    chance = 0.05;
    expect(granted(500, 60_000)).toBe(500);
  });

  it('is kept where it asks for no trace, and other flags are let be', () => {
    const word = new StrangersWord(1);
    expect([word.flags(0, 0), word.flags(2, 0)]).toEqual([0, 2]);
    const refusing = new StrangersWord(0, () => 0.5);
    expect(Array.from({ length: 11 }, () => refusing.flags(3, 0)).at(-1)).toBe(2);
  });
});
