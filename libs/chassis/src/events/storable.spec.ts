import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { storableJson, storableText } from './storable.js';

const anyText = fc
  .array(
    fc.oneof(fc.constantFrom(0, 0x5c, 0x75, 0x30, 0x64, 0x38, 0xd83d, 0xde00), fc.integer({ min: 0, max: 0xffff })),
  )
  .map((units) => String.fromCharCode(...units));
const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

describe('storableText', () => {
  it('replaces what PostgreSQL cannot store, and nothing else', () => {
    expect(storableText('a\0b\ud83dc😀\udc00')).toBe('a\ufffdb\ufffdc😀\ufffd');
    fc.assert(fc.property(anyText, (text) => expect(isStorable(storableText(text))).toBe(true)));
    fc.assert(fc.property(anyText.filter(isStorable), (text) => expect(storableText(text)).toBe(text)));
  });
});

describe('storableJson', () => {
  it('does the same in values and in names of members, at any depth', () => {
    const value = { 'na\0me': ['a\0', { deep: '\ud83d' }], n: 1, none: null };
    expect(JSON.parse(storableJson(value))).toEqual({
      'na\ufffdme': ['a\ufffd', { deep: '\ufffd' }],
      n: 1,
      none: null,
    });
  });

  it('leaves alone what only looks like an escape', () => {
    for (const text of ['\\u0000', '\\\\u0000', '\\ud83d', 'C:\\users\\ud', '😀'])
      expect(JSON.parse(storableJson({ text }))).toEqual({ text });
    expect(JSON.parse(storableJson('\\\0'))).toBe('\\\ufffd');
  });

  it('says of any text what the guard of plain text says', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(JSON.parse(storableJson([text]))).toEqual([storableText(text)]);
      }),
    );
  });
});
