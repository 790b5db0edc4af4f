import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Json } from '../adapter.js';
import { replaceMembers } from './replace-members.js';

const edit = (text: string, edits: Record<string, Json | undefined>): string =>
  replaceMembers(Buffer.from(text), new Map(Object.entries(edits))).toString();

describe('replaceMembers', () => {
  it('changes one member and keeps every other byte', () => {
    const text =
      '{ "model" : "a",\n "temperature":0.0, "seed": 12345678901234567890, "x-new":{"model":"b","k":[1,{"}":"\\"]"}]} }';

    expect(edit(text, { model: 'up"stream' })).toBe(
      '{"model" : "up\\"stream",\n "temperature":0.0, "seed": 12345678901234567890, "x-new":{"model":"b","k":[1,{"}":"\\"]"}]}}',
    );
  });

  it('adds and removes members, also in an empty object', () => {
    expect(edit('{}', { a: 1 })).toBe('{"a":1}');
    expect(edit('{"a":1}', { a: undefined })).toBe('{}');
    expect(edit('{"a":1,"b":2,"c":3}', { b: undefined, d: { e: null } })).toBe('{"a":1,"c":3,"d":{"e":null}}');
  });

  it('finds names written with escapes and writes a repeated name once', () => {
    expect(edit('{"mod\\u0065l":"a"}', { model: 'b' })).toBe('{"mod\\u0065l":"b"}');
    expect(edit('{"a":1,"a":2,"b":3}', { a: 9 })).toBe('{"a":9,"b":3}');
  });

  it('returns the same buffer without edits', () => {
    const bytes = Buffer.from('{"a":1}');
    expect(replaceMembers(bytes, new Map())).toBe(bytes);
  });

  it('agrees with parsing, changing and writing again', () => {
    const names = fc.constantFrom('a', 'b', '"', '\\', '你', '');
    const object = fc.dictionary(names, fc.jsonValue(), { noNullPrototype: true });
    const edits = fc.dictionary(names, fc.option(fc.jsonValue(), { nil: undefined }), { noNullPrototype: true });
    const space = fc.constantFrom(undefined, 2, '\t');
    fc.assert(
      fc.property(object, edits, space, (json, changes, indent) => {
        const text = JSON.stringify(json, null, indent);
        const expected = JSON.parse(JSON.stringify({ ...json, ...changes })) as unknown;
        expect(JSON.parse(edit(text, changes as Record<string, Json | undefined>))).toEqual(expected);
      }),
    );
  });
});
