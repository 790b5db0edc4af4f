import { describe, expect, it } from '@jest/globals';
import { checkFields, parseObject } from './channel-rules.js';

const fields = { type: 1, baseUrl: '', other: '' };

describe('checkFields', () => {
  it.each([
    ['an unknown type', { type: 28 }, 'channel-type-unknown'],
    ['a type whose dialect is not built', { type: 11 }, 'channel-type-not-supported'],
    ['Azure without an endpoint', { type: 3 }, 'channel-address-missing'],
    ['a custom channel without its URL', { type: 8 }, 'channel-address-missing'],
    ['a password in the address', { baseUrl: 'https://user:secret@host.example' }, 'channel-address-with-credentials'],
  ])('refuses %s', (_, change, code) => {
    expect(() => checkFields({ ...fields, ...change })).toThrow(expect.objectContaining({ code }));
  });

  it('takes a type at its default address and a custom one with its own', () => {
    expect(() => checkFields(fields)).not.toThrow();
    expect(() => checkFields({ ...fields, type: 8, baseUrl: 'https://host.example/{model}/chat' })).not.toThrow();
  });
});

describe('parseObject', () => {
  it.each([
    ['', undefined],
    ['{', undefined],
    ['[1]', undefined],
    ['null', undefined],
    ['{"a":1}', { a: 1 }],
  ])('reads %p as %p', (text, expected) => {
    expect(parseObject(text)).toEqual(expected);
  });
});
