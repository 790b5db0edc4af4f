import { describe, expect, it } from '@jest/globals';
import { keyTextFault, pastedText } from './channel-key.js';

describe('pastedText', () => {
  it.each([
    ['sk-1', 'sk-1'],
    ['\u200b\ufeff sk-1\r\n\u2060', 'sk-1'],
    ['sk\u200b1', 'sk\u200b1'],
    [' \u200b\n', ''],
    ['', ''],
  ])('of %j is %j', (text, expected) => expect(pastedText(text)).toBe(expected));
});

describe('keyTextFault', () => {
  it.each(['sk-1', 'a|b|c', 'with a blank', 'x'.repeat(4096)])('takes %.20s', (key) =>
    expect(keyTextFault(key, false)).toBeUndefined(),
  );

  it.each(['sk\u200b1', 'sk\r1', 'sk\t1', 'ключ', 'sk-é', 'sk\u00a01', 'sk\n1'])(
    'finds that %j cannot be sent',
    (key) => expect(keyTextFault(key, false)).toEqual({ fault: 'unsendable', limit: 4096 }),
  );

  it('limits the length, also of documents, whose characters are not checked', () => {
    expect(keyTextFault('x'.repeat(4097), false)).toEqual({ fault: 'long', limit: 4096 });
    expect(keyTextFault(`{"name":"\u00e9${'x'.repeat(16_000)}"}`, true)).toBeUndefined();
    expect(keyTextFault('x'.repeat(16_385), true)).toEqual({ fault: 'long', limit: 16_384 });
  });
});
