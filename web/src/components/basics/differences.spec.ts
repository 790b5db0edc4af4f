import { describe, expect, it } from '@jest/globals';
import { kindOf, percentOf } from './differences.js';

describe('a difference', () => {
  it('is an addition without a value before, and a removal without one after', () => {
    expect(kindOf({ name: 'a', after: '' })).toBe('added');
    expect(kindOf({ name: 'a', before: '', after: '1' })).toBe('changed');
    expect(kindOf({ name: 'a', before: '' })).toBe('removed');
  });

  it.each([
    ['2', '2.5', '+25%'],
    ['2', '0', '-100%'],
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
