import { describe, expect, it } from '@jest/globals';
import { unixSeconds } from './unix-seconds.js';

describe('unixSeconds', () => {
  it('tells the second that a moment lies in, of a date and of its text', () => {
    expect(unixSeconds(new Date('2026-11-27T00:00:01.999Z'))).toBe(1_795_737_601);
    expect(unixSeconds('2026-11-27T00:00:01.999Z')).toBe(1_795_737_601);
    expect(unixSeconds('2026-11-27 00:00:01.999+00')).toBe(1_795_737_601);
  });

  it('tells 0 for what never was', () => {
    expect(unixSeconds(null)).toBe(0);
    expect(unixSeconds(undefined)).toBe(0);
  });
});
