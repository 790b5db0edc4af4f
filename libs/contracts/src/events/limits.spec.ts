import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cutText, withinLimits } from './limits.js';

const bytesInJson = (text: string): number => new TextEncoder().encode(JSON.stringify(text)).length - 2;
/** Any UTF-16 units, halves of pairs and control characters among them. */
const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0xd800, max: 0xdfff })), { maxLength: 200 })
  .map((units) => String.fromCharCode(...units));

describe('cutText', () => {
  it('makes of any text a whole one of at most its limit, three bytes in JSON for each unit', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 100 }), (text, limit) => {
        const cut = cutText(text, limit);
        expect(cut.length).toBeLessThanOrEqual(limit);
        expect(cut.length).toBeGreaterThanOrEqual(Math.min(text.length, limit) - 1);
        expect(cut.isWellFormed()).toBe(true);
        expect(bytesInJson(cut)).toBeLessThanOrEqual(3 * limit);
        expect(cutText(cut, limit)).toBe(cut);
      }),
    );
  });

  it('leaves out a character of which only half would fit', () => {
    expect(cutText('ab😀', 3)).toBe('ab');
    expect(cutText('ab😀', 4)).toBe('ab😀');
  });

  it('keeps lines and tabs, and nothing else that is no text', () => {
    expect(cutText('a\tb\nc\u0000d\u001be\ud800', 20)).toBe('a\tb\nc\ufffdd\ufffde\ufffd');
  });
});

describe('withinLimits', () => {
  it('cuts what the table names, also inside of objects and lists, and leaves the rest and the original alone', () => {
    const value = { a: 'xyz', b: 'xyz', n: 7, list: [{ a: 'xyz', b: 'xyz' }], inner: { a: 'xyz' } };
    const copy = structuredClone(value);
    expect(withinLimits(value, { a: 2, n: 1, list: { b: 1 }, inner: { a: 1 }, missing: 3 })).toEqual({
      a: 'xy',
      b: 'xyz',
      n: 7,
      list: [{ a: 'xyz', b: 'x' }],
      inner: { a: 'x' },
    });
    expect(value).toEqual(copy);
  });

  it.each([null, undefined, 'text', 5, [null, 'x']])('leaves %j as it is', (value) => {
    expect(withinLimits(value, { a: 1 })).toEqual(value);
  });
});
