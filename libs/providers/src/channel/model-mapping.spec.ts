import { describe, expect, it } from '@jest/globals';
import { resolveModel } from './model-mapping.js';

describe('resolveModel', () => {
  it('follows a chain to its end', () => {
    expect(resolveModel({ a: 'b', b: 'c' }, 'a')).toEqual({ model: 'c', isMapped: true });
  });
  it('refuses a cycle', () => {
    expect(() => resolveModel({ a: 'b', b: 'a' }, 'a')).toThrow('model_mapping_contains_cycle');
    expect(() => resolveModel({ a: 'b', b: 'c', c: 'b' }, 'a')).toThrow('model_mapping_contains_cycle');
  });
  it('takes a name mapped to itself as the end', () => {
    expect(resolveModel({ a: 'a' }, 'a')).toEqual({ model: 'a', isMapped: false });
    expect(resolveModel({ a: 'b', b: 'b' }, 'a')).toEqual({ model: 'b', isMapped: true });
  });
  it('leaves other names alone, names of object members too', () => {
    expect(resolveModel({ a: 'b' }, 'x')).toEqual({ model: 'x', isMapped: false });
    expect(resolveModel({}, 'constructor')).toEqual({ model: 'constructor', isMapped: false });
  });
});
