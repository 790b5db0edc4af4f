import { describe, expect, it } from '@jest/globals';
import { wayOf, wholeWithin } from './way.js';

describe('the way of a channel', () => {
  it('has whole milliseconds, because some timers take no others', () => {
    const way = wayOf({ first_byte_timeout: 64.1, idle_timeout: 0.0001, total_timeout: 32.3, proxy: 'http://p' });
    expect(way).toEqual({ proxy: 'http://p', firstByteMs: 64_100, idleMs: 1, totalMs: 32_300 });
    expect([wholeWithin(way, 60_000), wholeWithin(way, 5000)]).toEqual([32_300, 5000]);
  });

  it('leaves to the process what it does not limit', () => {
    expect(wayOf({})).toEqual({ proxy: '', firstByteMs: Infinity, idleMs: Infinity, totalMs: Infinity });
    expect(wholeWithin(wayOf({}), 5000)).toBe(5000);
  });
});
