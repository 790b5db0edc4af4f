import { describe, expect, it } from '@jest/globals';
import { checkFields, checkKey, parseObject } from './channel-rules.js';

const fields = { type: 1, baseUrl: '', other: '' };

describe('checkFields', () => {
  it.each([
    ['an unknown type', { type: 28 }, 'channel-type-unknown'],
    ['a type whose dialect is not built', { type: 11 }, 'channel-type-not-supported'],
    ['Azure without an endpoint', { type: 3 }, 'channel-address-missing'],
    ['a custom channel without its URL', { type: 8 }, 'channel-address-missing'],
    ['a password in the address', { baseUrl: 'https://user:secret@host.example' }, 'channel-address-with-credentials'],
    ['a query in the address', { baseUrl: 'https://host.example/?to=' }, 'channel-address-with-query'],
    ['a fragment in the address', { baseUrl: 'https://host.example#' }, 'channel-address-with-query'],
    ['a fragment in a custom URL', { type: 8, baseUrl: 'https://host.example/{model}#' }, 'channel-address-with-query'],
    ['a host that the model names', { type: 8, baseUrl: 'https://{model}/chat' }, 'channel-address-host-varies'],
    ['a host that the model ends', { type: 8, baseUrl: 'https://host.{model}' }, 'channel-address-host-varies'],
  ])('refuses %s', (_, change, code) => {
    expect(() => checkFields({ ...fields, ...change })).toThrow(expect.objectContaining({ code }));
  });

  it('takes a type at its default address and a custom one with its own', () => {
    expect(() => checkFields(fields)).not.toThrow();
    expect(() => checkFields({ ...fields, type: 8, baseUrl: 'https://host.example/{model}/chat' })).not.toThrow();
    expect(() => checkFields({ ...fields, type: 8, baseUrl: 'https://host.example/{model}?v=1' })).not.toThrow();
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

describe('checkKey', () => {
  it.each([
    [33, 'id|secret|us-east-1'],
    [1, 'sk-any|thing'],
    [22, 'fastgpt-key-appid'],
  ])('takes a key of type %d', (type, key) => {
    expect(() => checkKey(type, key)).not.toThrow();
  });

  it.each(['', 'id', 'id|secret', 'id||us-east-1', 'id|secret|us-east-1|more'])('refuses %j for Bedrock', (key) => {
    expect(() => checkKey(33, key)).toThrow(expect.objectContaining({ code: 'channel-key-malformed' }));
  });
});
