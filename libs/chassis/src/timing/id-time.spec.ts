import { describe, expect, it } from '@jest/globals';
import { v7 } from 'uuid';
import { isUuid, leastIdAt, timeOfId } from './id-time.js';

const AT = Date.parse('2026-11-23T02:03:04.567Z');

describe('the time in an id', () => {
  it('is read to the millisecond', () => {
    expect(timeOfId(v7({ msecs: AT }))).toBe(AT);
    expect(timeOfId(leastIdAt(AT))).toBe(AT);
  });

  it('bounds the ids of its millisecond from below', () => {
    expect(leastIdAt(AT) < v7({ msecs: AT })).toBe(true);
    expect(leastIdAt(AT) > v7({ msecs: AT - 1 })).toBe(true);
  });

  it('is clamped to the times that an id can express', () => {
    expect(leastIdAt(-1)).toBe('00000000-0000-0000-0000-000000000000');
    expect(leastIdAt(Infinity)).toBe('ffffffff-ffff-0000-0000-000000000000');
    expect(leastIdAt(1.9)).toBe(leastIdAt(1));
  });
});

describe('isUuid', () => {
  it('takes ids in either case and nothing around them', () => {
    const id = v7();
    expect([id, id.toUpperCase()].every(isUuid)).toBe(true);
    expect(['', `${id} `, id.replaceAll('-', ''), `${id}0`].some(isUuid)).toBe(false);
  });
});
