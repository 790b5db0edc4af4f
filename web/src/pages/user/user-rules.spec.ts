import { describe, expect, it } from '@jest/globals';
import type { User } from '@tollgate/contracts/api/user';
import { parseDelta, passwordProblem, toUpdate, formOf, usernameProblem } from './user-form.js';
import { denyAction, denyEdit } from './user-rules.js';

const of = (role: number, status = 1) => ({ role, status });

describe('rank', () => {
  it('lets administrators act only on lower roles, and the super administrator on everybody', () => {
    expect(denyEdit(10, of(1))).toBeUndefined();
    expect(denyEdit(10, of(10))).toBe('deny.user-of-equal-or-higher-rank');
    expect(denyEdit(10, of(100))).toBe('deny.user-of-equal-or-higher-rank');
    expect(denyEdit(100, of(100))).toBeUndefined();
  });

  it('lets only the super administrator promote', () => {
    expect(denyAction(10, of(1), 'promote')).toBe('deny.promotion-needs-root');
    expect(denyAction(100, of(1), 'promote')).toBeUndefined();
    expect(denyAction(100, of(10), 'promote')).toBe('deny.user-is-admin-already');
    expect(denyAction(100, of(1), 'demote')).toBe('deny.user-is-ordinary-already');
    expect(denyAction(100, of(10), 'demote')).toBeUndefined();
  });

  it('protects super administrators, and locked accounts from being enabled', () => {
    for (const action of ['disable', 'delete', 'demote'] as const)
      expect(denyAction(100, of(100), action)).toBeDefined();
    expect(denyAction(100, of(1, 2), 'enable')).toBeUndefined();
    expect(denyAction(100, of(1, 3), 'enable')).toBe('deny.user-not-enableable');
  });
});

describe('form', () => {
  const user = { id: 7, username: 'bob', display_name: 'Bob', group: 'default', quota: 10 } as User;

  it('sends changed fields, and the balance as a difference', () => {
    const seen = formOf(user);
    expect(toUpdate(seen, seen, 7)).toEqual({ id: 7 });
    expect(toUpdate({ ...seen, displayName: 'Bobby', delta: '-5', reason: ' refund ' }, seen, 7)).toEqual({
      ...{ id: 7, display_name: 'Bobby', expected: { display_name: 'Bob' } },
      quota_delta: -5,
      reason: 'refund',
    });
    expect(toUpdate({ ...seen, password: 'long-enough', delta: '0' }, seen, 7)).toEqual({
      id: 7,
      password: 'long-enough',
    });
  });

  it('accepts signed whole numbers only', () => {
    expect(['5', '+5', '-5', '\u22125', '0', '-0'].map(parseDelta)).toEqual([5, 5, -5, -5, 0, 0]);
    expect(['', '1.5', '1e3', 'x', '1234567890123456'].map(parseDelta)).toEqual(Array(5).fill(undefined));
  });

  it('counts characters of names, not bytes', () => {
    expect(usernameProblem('\u{1F600}'.repeat(12))).toBeUndefined();
    expect(usernameProblem('a'.repeat(13))).toMatchObject({ params: { max: 12, now: 13 } });
    expect(usernameProblem('a@b')).toBeDefined();
    expect(usernameProblem('  ')).toBeDefined();
    expect(passwordProblem('', false)).toBeUndefined();
    expect(passwordProblem('', true)).toBeDefined();
    expect(passwordProblem('1234567', false)).toBeDefined();
  });
});
