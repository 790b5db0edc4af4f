import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { repeatedMember } from './repeated-member.js';

describe('repeatedMember', () => {
  it.each([
    ['{"a":1,"a":2}', 'a'],
    ['{"quota_delta" : 1, "id":2, "quota_delta":\n5}', 'quota_delta'],
    ['{"vip":{"default":1},"x":{"vip":1},"vip":{}}', 'vip'],
    ['{"a":[{"b":1},{"b":1,"c":[],"b":2}]}', 'b'],
    ['{"mod\\u0065l":1,"model":2}', 'model'],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"a\\"":1,"a\\\\":1,"a\\"":2}', 'a"'],
    [`{"${'x'.repeat(99)}":1,"${'x'.repeat(99)}":2}`, 'x'.repeat(64)],
  ])('%s: %s', (json, name) => expect(repeatedMember(json)).toBe(name));

  it.each([
    ['{"a":"a","b":"a"}'],
    ['{"a":{"a":1},"b":[{"a":1},{"a":1}]}'],
    ['["a","a"]'],
    ['{"a":"\\"a\\":1,","b":"{\\"a\\""}'],
    ['{"a":"x\\\\","b":1}'],
    ['"a"'],
    [''],
    ['}}}{"a":1'],
    ['{"a":"never closed'],
  ])('nothing in %s', (json) => expect(repeatedMember(json)).toBeUndefined());

  it('finds nothing in serialised objects, and every member that is inserted twice', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), (object) => {
        const json = JSON.stringify(object);
        expect(repeatedMember(json)).toBeUndefined();
        const [name = ''] = Object.keys(object);
        expect(repeatedMember(`${json.slice(0, -1)},${JSON.stringify(name)}:0}`)).toBe(name.slice(0, 64));
      }),
    );
  });
});
