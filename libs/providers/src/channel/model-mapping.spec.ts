import { describe, expect, it } from '@jest/globals';
import { resolveModel } from './model-mapping.js';

describe('resolveModel', () => {
  it('follows a chain to its end', () => {
    expect(resolveModel({ a: 'b', b: 'c' }, 'a')).toBe('c');
  });
  it('refuses a cycle', () => {
    expect(() => resolveModel({ a: 'b', b: 'a' }, 'a')).toThrow('model_mapping_contains_cycle');
    expect(() => resolveModel({ a: 'b', b: 'c', c: 'b' }, 'a')).toThrow('model_mapping_contains_cycle');
  });
  it('takes a name mapped to itself as the end', () => {
    expect(resolveModel({ a: 'a' }, 'a')).toBe('a');
    expect(resolveModel({ a: 'b', b: 'b' }, 'a')).toBe('b');
  });
  it('leaves other names alone, names of object members too', () => {
    expect(resolveModel({ a: 'b' }, 'x')).toBe('x');
    expect(resolveModel({}, 'constructor')).toBe('constructor');
  });
});
