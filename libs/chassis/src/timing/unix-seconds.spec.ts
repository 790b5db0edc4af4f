import { describe, expect, it } from '@jest/globals';
import { unixSeconds } from './unix-seconds.js';

describe('unixSeconds', () => {
  it('returns the whole second of a date or of its text', () => {
    expect(unixSeconds(new Date('2026-11-27T00:00:01.999Z'))).toBe(1_795_737_601);
    expect(unixSeconds('2026-11-27T00:00:01.999Z')).toBe(1_795_737_601);
    expect(unixSeconds('2026-11-27 00:00:01.999+00')).toBe(1_795_737_601);
  });

  it('returns 0 for null', () => {
    expect(unixSeconds(null)).toBe(0);
    expect(unixSeconds(undefined)).toBe(0);
  });
});
