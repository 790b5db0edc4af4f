import { describe, expect, it } from '@jest/globals';
import { periodOf, usersOf, workOf } from './arguments.js';

describe('arguments of commands', () => {
  it('name what there is, and nothing that every object has', () => {
    const works = { key: 'shows the key' };
    expect(workOf(works, 'key')).toBe('shows the key');
    for (const name of ['', 'keys', 'toString', 'constructor', '__proto__'])
      expect(workOf(works, name)).toBeUndefined();
  });

  it('are lists of users, or are refused', () => {
    expect(usersOf({}, 'users')).toBeUndefined();
    expect(usersOf({ users: '5,6,5' }, 'users')).toEqual(new Set([5, 6]));
    for (const users of ['', 'a', '5,', '5, 6', '-5', '1.5'])
      expect(() => usersOf({ users }, 'users')).toThrow('--users takes ids of users, parted by commas.');
  });

  it('are a period that ends after it begins', () => {
    expect(periodOf({ from: '2026-11' })).toEqual({ from: Date.UTC(2026, 10, 1) });
    expect(() => periodOf({ from: '2026-11-02', to: '2026-11-02' })).toThrow('--from must be before --to.');
  });
});
