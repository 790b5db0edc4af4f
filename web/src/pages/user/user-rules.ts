import type { User, UserAction } from '@tollgate/contracts/api/user';
import { Role, UserStatus, isAdmin, isRoot } from '@tollgate/contracts/roles';

type Target = Pick<User, 'role' | 'status'>;

/** Keys of the texts that explain a denial. */
export type Denial =
  `deny.${'promoteNeedsRoot' | 'isAdmin' | 'rootDemote' | 'isUser' | 'rootDisable' | 'locked' | 'rootDelete' | 'rank'}`;

/** The super administrator may act on every user; others only on users of a lower role. */
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

/** The reason why an edit is denied. Only a preview: the server decides. */
export const denyEdit = (role: number, target: Target): Denial | undefined =>
  outranks(role, target) ? undefined : 'deny.rank';

/** A user can only be erased by someone of a higher role. */
export const denyErase = (role: number, target: Target): Denial | undefined =>
  role > target.role ? undefined : 'deny.rank';

export const denyAction = (role: number, target: Target, action: UserAction): Denial | undefined =>
  denyEdit(role, target) ?? rules[action](role, target);
