import type { User, UserAction } from '@tollgate/contracts/api/user';
import { Role, UserStatus, isAdmin, isRoot } from '@tollgate/contracts/roles';

type Target = Pick<User, 'role' | 'status'>;

/** Keys of the sentences that say why not. */
export type Denial =
  `deny.${'promoteNeedsRoot' | 'isAdmin' | 'rootDemote' | 'isUser' | 'rootDisable' | 'locked' | 'rootDelete' | 'rank'}`;

/** The super administrator may touch everybody; anybody else only those below. */
const outranks = (role: number, target: Target): boolean => isRoot(role) || role > target.role;

const rules: Record<UserAction, (role: number, target: Target) => Denial | undefined> = {
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

/** Why not; the server has the last word. */
export const denyEdit = (role: number, target: Target): Denial | undefined =>
  outranks(role, target) ? undefined : 'deny.rank';

/** Nobody erases an equal. */
export const denyErase = (role: number, target: Target): Denial | undefined =>
  role > target.role ? undefined : 'deny.rank';

export const denyAction = (role: number, target: Target, action: UserAction): Denial | undefined =>
  denyEdit(role, target) ?? rules[action](role, target);
