import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AuditAction } from '../audit-actions.js';
import { adminAction } from './account-events.js';
import { cutText, withinLimits, withinRecord } from './limits.js';

const bytesInJson = (text: string): number => new TextEncoder().encode(JSON.stringify(text)).length - 2;
/** Any UTF-16 code units, including lone surrogates and control characters. */
const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0xd800, max: 0xdfff })), { maxLength: 200 })
  .map((units) => String.fromCharCode(...units));

describe('cutText', () => {
  it('cuts any text to its limit, with at most three bytes in JSON per code unit', () => {
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

  it('drops a character of which only half would fit', () => {
    expect(cutText('ab😀', 3)).toBe('ab');
    expect(cutText('ab😀', 4)).toBe('ab😀');
  });

  it('keeps line feeds and tabs, but no other control characters', () => {
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

  it.each([null, undefined, 'text', 5, [null, 'x'], { a: 'x', list: [{ a: 'y' }] }])('leaves %j as it is', (value) => {
    expect(withinLimits(value, { a: 1, list: { a: 1 } })).toBe(value);
  });
});

describe('withinRecord', () => {
  const limits = { members: 3, name: 4, value: 5, sum: 12 };

  it('keeps what fits as it is', () => {
    const record = { a: 'text', b: 7, c: { d: 1 } };
    expect(withinRecord(record, { ...limits, value: 7, sum: 20 })).toEqual(record);
  });

  it('cuts names, texts and the JSON of anything else, and ends when the sum is reached', () => {
    expect(withinRecord({ 'a long name': '1234567', b: [1, 2, 3, 4], c: 'xyz', d: 'x' }, limits)).toEqual({
      'a lo': '12345…',
      b: '[1,2,…',
      c: '…',
    });
  });
});

describe('the audit of an administrator', () => {
  it('fits into the event log, whatever was changed', () => {
    const hostile = fc.constantFrom('错', '"', '\u0000', '\ud83d', 'x').map((text) => text.repeat(4 * 1024 * 1024));
    const record = fc.dictionary(
      fc.string({ minLength: 1 }),
      fc.oneof(
        hostile,
        hostile.map((text) => ({ text })),
      ),
      { maxKeys: 4 },
    );
    fc.assert(
      fc.property(record, record, hostile, (before, after, text) => {
        const data = { actorId: 1, action: text as AuditAction, subject: text, text, before, after };
        const bytes = new TextEncoder().encode(JSON.stringify(adminAction.bound?.(data))).length;
        expect(bytes).toBeLessThan(700 * 1024);
      }),
      { numRuns: 10 },
    );
  });
});
