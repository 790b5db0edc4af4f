import type { User, UserAction } from '@tollgate/contracts/api/user';
import { manageDenial, outranks, type UserDenial } from '@tollgate/contracts/user-rules';

type Target = Pick<User, 'role' | 'status'>;

/** Keys of the texts that explain a denial. Only a preview: the server decides. */
export type Denial = `deny.${UserDenial}`;

const ofRank: Denial = 'deny.user-of-equal-or-higher-rank';

export const denyEdit = (role: number, target: Target): Denial | undefined =>
  outranks(role, target.role) ? undefined : ofRank;

/** A user can only be erased by someone of a higher role. */
export const denyErase = (role: number, target: Target): Denial | undefined =>
  role > target.role ? undefined : ofRank;

export function denyAction(role: number, target: Target, action: UserAction): Denial | undefined {
  const denial = manageDenial(role, target, action);
  return denial && `deny.${denial}`;
}
