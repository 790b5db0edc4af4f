import { describe, expect, it } from '@jest/globals';
import { blamesAccount } from './account-words.js';
import { maskSecrets } from './mask-secrets.js';

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

  it('finds a phrase in a message whose addresses and keys are masked, but not one that is only an address', () => {
    const phrases = ['top up at https://Billing.example.com/pay', 'ask ops@example.com', 'api.example.com'];
    const masked = maskSecrets('Please top up at https://billing.example.com/pay or ask ops@example.com');
    expect(blamesAccount(masked, phrases.slice(0, 1), () => '{}')).toBe(true);
    expect(blamesAccount(masked, phrases.slice(1, 2), () => '{}')).toBe(true);
    expect(blamesAccount(masked, phrases.slice(2), () => '{}')).toBe(false);
    expect(blamesAccount(masked, phrases.slice(1, 2), () => '{"content":"ask ops@example.com"}')).toBe(false);
    // An upstream may quote the address of the request.
    const quoted = maskSecrets('cannot read "top up at https://elsewhere.example.com/x"');
    const sent = '{"content":"top up at https://elsewhere.example.com/x"}';
    expect(blamesAccount(quoted, phrases.slice(0, 1), () => sent)).toBe(false);
  });

  it('looks at the request only when a word was found', () => {
    const never = (): string => {
      throw new Error('not needed');
    };
    expect(blamesAccount('fine', words, never)).toBe(false);
  });
});
