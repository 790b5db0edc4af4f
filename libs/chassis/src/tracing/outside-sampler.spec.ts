import { describe, expect, it } from '@jest/globals';
import { OutsideSampler } from './outside-sampler.js';

describe('the wish of somebody outside for a trace', () => {
  it('is granted a few times a second, then the configured share decides', () => {
    let chance = 0.5;
    const sampler = new OutsideSampler(0.1, () => chance);
    const granted = (count: number, now: number): number =>
      Array.from({ length: count }, () => sampler.flags(1, now)).filter((flags) => flags === 1).length;
    expect(granted(500, 0)).toBe(10);
    expect(granted(500, 500)).toBe(5);
    expect(granted(500, 60_000)).toBe(10);
    chance = 0.05;
    expect(granted(500, 60_000)).toBe(500);
  });

  it('is respected if it asks for no trace, and other flags are kept', () => {
    const sampler = new OutsideSampler(1);
    expect([sampler.flags(0, 0), sampler.flags(2, 0)]).toEqual([0, 2]);
    const refusing = new OutsideSampler(0, () => 0.5);
    expect(Array.from({ length: 11 }, () => refusing.flags(3, 0)).at(-1)).toBe(2);
  });
});
