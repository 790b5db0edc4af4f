import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { strangeName } from './json-names.js';

describe('names in a JSON text', () => {
  it.each([
    ['{"vip":{"default":0.5},"vip":{"default":3}}', 'vip'],
    ['{"vip":{"default":0.5,"default":3}}', 'default'],
    ['[{"a":1},{"b":1,"b" : 2}]', 'b'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"__proto__":{"default":0}}', '__proto__'],
    [`{"${'x'.repeat(99)}":1,"${'x'.repeat(99)}":2}`, 'x'.repeat(64)],
  ])('are told where one is said twice: %s', (text, name) => {
    expect(strangeName(text)).toBe(name);
  });

  it('may be the same in different objects, and the same as values', () => {
    for (const text of [
      '{"a":\\x "a":',
      '{"a":{"b":1},"b":{"a":1}}',
      '{"a":"b","b":"a"}',
      '["a","a"]',
      '{"a":"\\"a\\":","c":":"}',
      '{}',
      '1',
    ])
      expect(strangeName(text)).toBeUndefined();
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value, undefined, 1);
        fc.pre(!text.includes('__proto__'));
        expect(strangeName(text)).toBeUndefined();
      }),
    );
  });
});
