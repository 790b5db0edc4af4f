import type { User, UserAction } from '@tollgate/contracts/api/user';
import { Role, UserStatus, isAdmin, isRoot } from '@tollgate/contracts/roles';

type Target = Pick<User, 'role' | 'status'>;

/** The super administrator may touch everybody; anybody else only those below. */
const outranks = (role: number, target: Target): boolean => isRoot(role) || role > target.role;

const rules: Record<UserAction, (role: number, target: Target) => string | undefined> = {
  promote: (role, target) => {
    if (!isRoot(role)) return 'deny.promoteNeedsRoot';
    return isAdmin(target.role) ? 'deny.isAdmin' : undefined;
  },
  demote: (_, target) => {
    if (isRoot(target.role)) return 'deny.rootDemote';
    return target.role === Role.user ? 'deny.isUser' : undefined;
  },
  disable: (_, target) => (isRoot(target.role) ? 'deny.rootDisable' : undefined),
  enable: (_, target) => (target.status === UserStatus.locked ? 'deny.locked' : undefined),
  delete: (_, target) => (isRoot(target.role) ? 'deny.rootDelete' : undefined),
};

/** The key of the sentence that says why not; the server has the last word. */
export const denyEdit = (role: number, target: Target): string | undefined =>
  outranks(role, target) ? undefined : 'deny.rank';

export const denyAction = (role: number, target: Target, action: UserAction): string | undefined =>
  denyEdit(role, target) ?? rules[action](role, target);
