import { describe, expect, it } from '@jest/globals';
import { blamesAccount } from './account-words.js';

const words = ['Your credit balance is too low', ' Permission denied ', ''];

describe('blamesAccount', () => {
  it.each([
    ['Sorry. YOUR CREDIT BALANCE is too low!', '{}', true],
    ['permission denied for this key', '{}', true],
    ['the model is overloaded', '{}', false],
    ['', '{}', false],
    ['cannot parse "Permission denied"', '{"messages":["say PERMISSION denied"]}', false],
    ['Permission denied: your credit balance is too low', '{"messages":["Permission denied"]}', true],
  ])('%j to %s: %s', (message, request, expected) => {
    expect(blamesAccount(message, words, () => request)).toBe(expected);
  });

  it('looks at the request only when a word was found', () => {
    const never = (): string => {
      throw new Error('not needed');
    };
    expect(blamesAccount('fine', words, never)).toBe(false);
  });
});
