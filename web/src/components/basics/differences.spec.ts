import { describe, expect, it } from '@jest/globals';
import { entriesOf, kindOf, percentOf } from './differences.js';

describe('a difference', () => {
  it('is an addition without a value before, and a removal without one after', () => {
    expect(kindOf({ name: 'a', after: '' })).toBe('added');
    expect(kindOf({ name: 'a', before: '', after: '1' })).toBe('changed');
    expect(kindOf({ name: 'a', before: '' })).toBe('removed');
  });

  it.each([
    ['2', '2.5', '+25%'],
    ['2', '0', '\u2212100%'],
    ['0.15', '1.5', '+900%'],
    ['0', '1', undefined],
    ['', '1', undefined],
    ['1', '', undefined],
    ['1', 'x', undefined],
    [undefined, '1', undefined],
  ])('of a number of a map (%s to %s) is %s', (before, after, percent) => {
    expect(percentOf({ name: 'map', key: 'a', before, after })).toBe(percent);
    expect(percentOf({ name: 'status', before, after })).toBeUndefined();
  });
});

describe('the differences of two texts', () => {
  it('are the entries by which two JSON objects differ', () => {
    const before = '{"a":1,"gone":[2],"same":{"x":1},"__proto__":1}';
    const after = '{ "same": { "x": 1 }, "new": "text", "a": 1.5, "__proto__": 2 }';
    expect(entriesOf({ name: 'value', before, after })).toEqual([
      { name: 'value', key: 'new', before: undefined, after: 'text' },
      { name: 'value', key: 'a', before: '1', after: '1.5' },
      { name: 'value', key: '__proto__', before: '1', after: '2' },
      { name: 'value', key: 'gone', before: '[2]', after: undefined },
    ]);
  });

  it.each([
    ['one is no object', '{"a":1}', '[1]'],
    ['one is no JSON', '{"a":1}', '{"a":'],
    ['one is missing', undefined, '{"a":1}'],
    ['one is a digest', 'sha256:00 (40000)', '{"a":1}'],
    ['they are written differently only', '{"a":1}', '{ "a": 1 }'],
  ])('are the texts as they are where %s', (_, before, after) => {
    const whole = { name: 'value', before, after };
    expect(entriesOf(whole)).toEqual([whole]);
  });
});
