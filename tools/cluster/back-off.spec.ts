import { describe, expect, it } from '@jest/globals';
import { BackOff } from './back-off.js';

describe('BackOff', () => {
  it('waits longer after each early exit, up to ten seconds, and starts again after a long run', () => {
    const backOff = new BackOff();
    const short = Array.from({ length: 7 }, () => backOff.after(100));
    expect(short).toEqual([500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
    expect([backOff.after(60_000), backOff.after(100)]).toEqual([500, 1_000]);
  });
});
