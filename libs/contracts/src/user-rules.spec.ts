import { describe, expect, it } from '@jest/globals';
import type { UserAction } from './api/user.js';
import { Role, UserStatus } from './roles.js';
import { manageDenial, outranks, type UserDenial } from './user-rules.js';

const { user, admin, root } = Role;
const rank = 'user-of-equal-or-higher-rank';
const allowed = undefined;

/** Role of the caller, role of the target, then the expected denial of disable, enable, delete, promote, demote. */
const matrix: [number, number, ...(UserDenial | undefined)[]][] = [
  [user, user, rank, rank, rank, rank, rank],
  [admin, user, allowed, allowed, allowed, 'promotion-needs-root', 'user-is-ordinary-already'],
  [admin, admin, rank, rank, rank, rank, rank],
  [admin, root, rank, rank, rank, rank, rank],
  [root, user, allowed, allowed, allowed, allowed, 'user-is-ordinary-already'],
  [root, admin, allowed, allowed, allowed, 'user-is-admin-already', allowed],
  [root, root, 'root-not-disableable', allowed, 'root-not-deletable', 'user-is-admin-already', 'root-not-demotable'],
];
const actions: UserAction[] = ['disable', 'enable', 'delete', 'promote', 'demote'];

describe('the rules of actions on users', () => {
  const cases = matrix.flatMap(([caller, target, ...denials]) =>
    actions.map((action, index) => ({ caller, target, action, denial: denials[index] })),
  );

  it.each(cases)('role $caller wants to $action role $target: $denial', ({ caller, target, action, denial }) => {
    expect(manageDenial(caller, { role: target, status: UserStatus.enabled }, action)).toBe(denial);
  });

  it.each([
    [UserStatus.enabled, allowed],
    [UserStatus.banned, allowed],
    [UserStatus.locked, 'user-not-enableable'],
  ])('a user with status %s is enabled: %s', (status, denial) => {
    expect(manageDenial(root, { role: user, status }, 'enable')).toBe(denial);
  });

  it('an administrator outranks users only, the super administrator everybody', () => {
    expect([user, admin, root].map((role) => outranks(admin, role))).toEqual([true, false, false]);
    expect([user, admin, root].map((role) => outranks(root, role))).toEqual([true, true, true]);
  });
});
