import type { UserAction } from './api/user.js';
import { isAdmin, isRoot, Role, UserStatus } from './roles.js';

/** Why an action on a user is not allowed: the code of the error reply. */
export type UserDenial =
  | 'user-of-equal-or-higher-rank'
  | 'root-not-disableable'
  | 'user-not-enableable'
  | 'root-not-deletable'
  | 'promotion-needs-root'
  | 'user-is-admin-already'
  | 'root-not-demotable'
  | 'user-is-ordinary-already';

interface Target {
  role: number;
  status: number;
}

/** The super administrator may act on every user, others only on users of a lower rank. */
export const outranks = (callerRole: number, role: number): boolean => isRoot(callerRole) || callerRole > role;

const rules: Record<UserAction, (callerRole: number, target: Target) => UserDenial | undefined> = {
  disable: (_, target) => (isRoot(target.role) ? 'root-not-disableable' : undefined),
  enable: (_, target) => (target.status === UserStatus.locked ? 'user-not-enableable' : undefined),
  delete: (_, target) => (isRoot(target.role) ? 'root-not-deletable' : undefined),
  promote: (callerRole, target) => {
    if (!isRoot(callerRole)) return 'promotion-needs-root';
    return isAdmin(target.role) ? 'user-is-admin-already' : undefined;
  },
  demote: (_, target) => {
    if (isRoot(target.role)) return 'root-not-demotable';
    return target.role === Role.user ? 'user-is-ordinary-already' : undefined;
  },
};

/** The rule of `POST /api/user/manage`: checks the rank first, then the rule of the action itself. */
export const manageDenial = (callerRole: number, target: Target, action: UserAction): UserDenial | undefined =>
  outranks(callerRole, target.role) ? rules[action](callerRole, target) : 'user-of-equal-or-higher-rank';
