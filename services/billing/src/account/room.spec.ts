import { describe, expect, it } from '@jest/globals';
import { mostAtOnce, mostBalance } from '@tollgate/contracts';
import { requireRoom } from './room.js';

const changes =
  (before: number, change: number, spent = 0) =>
  () =>
    requireRoom({ before, change, credit: before + spent });

describe('requireRoom', () => {
  it('allows a balance up to the limit, and no more', () => {
    expect(changes(0, mostBalance)).not.toThrow();
    expect(changes(mostBalance - 1, 1)).not.toThrow();
    expect(changes(mostBalance, 1)).toThrow('额度超出可以保存的范围，最多为 1000000000000000');
    expect(changes(0, -mostBalance)).not.toThrow();
    expect(changes(-mostBalance, -1)).toThrow('额度超出可以保存的范围');
  });

  it('allows a balance beyond the limit to move towards it, from both sides', () => {
    expect(changes(Number.MAX_SAFE_INTEGER, -1)).not.toThrow();
    expect(changes(-Number.MAX_SAFE_INTEGER, 1)).not.toThrow();
  });

  it('refuses amounts that no row could hold', () => {
    expect(changes(0, Number.MAX_SAFE_INTEGER)).toThrow();
    expect(changes(0, 1, Number.MAX_SAFE_INTEGER)).toThrow();
  });

  it('leaves room for hundreds of the largest payments', () => {
    expect((Number.MAX_SAFE_INTEGER - mostBalance) / mostAtOnce).toBeGreaterThan(500);
  });
});
