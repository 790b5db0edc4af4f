import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isoTime } from './iso-time.js';

describe('isoTime', () => {
  it('writes every time like a Date', () => {
    const near = fc.integer({ min: 1_795_000_000_000, max: 1_795_000_200_000 });
    const any = fc.oneof(
      near,
      fc.integer({ min: -8.64e15, max: 8.64e15 }),
      fc.constantFrom(0, -1, 1, 999, 1000, 1.9, -1.9),
    );
    fc.assert(fc.property(any, (ms) => expect(isoTime(ms)).toBe(new Date(ms).toISOString())));
  });

  it('refuses what is no time', () => {
    for (const ms of [NaN, Infinity, -Infinity, 8.65e15, 8.64e15 + 1, 8.64e15 + 999, -8.64e15 - 1])
      expect(() => isoTime(ms)).toThrow(RangeError);
    expect(isoTime(8.64e15)).toBe(new Date(8.64e15).toISOString());
  });
});
