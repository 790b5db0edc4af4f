import { isRoot } from '@tollgate/contracts';
import type { UserAction } from '@tollgate/contracts/api/user';
import { manageDenial, outranks, type UserDenial } from '@tollgate/contracts/user-rules';
import { AppError } from '@tollgate/chassis';

/** Why an action is not allowed, with the documented message. */
interface Denial {
  code: string;
  message: string;
}

interface Target {
  role: number;
  status: number;
}

/** Throws the denial, if there is one. */
export function refuse(denial: Denial | undefined): void {
  if (denial) throw new AppError('forbidden', denial.code, denial.message);
}

const deny = (code: string, message: string): Denial => ({ code, message });

const messages: Record<UserDenial, string> = {
  'user-of-equal-or-higher-rank': '无权更新同权限等级或更高权限等级的用户信息',
  'root-not-disableable': '无法禁用超级管理员用户',
  'user-not-enableable': '该用户的状态不允许启用',
  'root-not-deletable': '无法删除超级管理员用户',
  'promotion-needs-root': '普通管理员用户无法提升其他用户为管理员',
  'user-is-admin-already': '该用户已经是管理员',
  'root-not-demotable': '无法降级超级管理员用户',
  'user-is-ordinary-already': '该用户已经是普通用户',
};

const ofEqualRank = (message = messages['user-of-equal-or-higher-rank']): Denial =>
  deny('user-of-equal-or-higher-rank', message);

export const denyView = (callerRole: number, target: Target): Denial | undefined =>
  outranks(callerRole, target.role) ? undefined : ofEqualRank('无权获取同级或更高等级用户的信息');

/** New users always get role 1, but a request for one's own rank or a higher one is refused nevertheless. */
export const denyCreate = (callerRole: number, wantedRole: number): Denial | undefined =>
  wantedRole >= callerRole ? deny('rank-too-high', '无法创建权限大于等于自己的用户') : undefined;

/** `claimedRole` is the role in the request body; it is checked but never written. */
export function denyEdit(callerRole: number, target: Target, claimedRole?: number): Denial | undefined {
  if (!outranks(callerRole, target.role)) return ofEqualRank();
  if (claimedRole !== undefined && !outranks(callerRole, claimedRole)) {
    return deny('rank-too-high', '无权将其他用户权限等级提升到大于等于自己的权限等级');
  }
  return undefined;
}

/** A rule that needs a higher rank, even from a super administrator. */
const needsHigherRank =
  (message: string) =>
  (callerRole: number, target: Target): Denial | undefined =>
    callerRole > target.role ? undefined : ofEqualRank(message);

/** The rule of `DELETE /api/user/{id}`. The action `delete` of `POST /api/user/manage` follows `manageDenial`. */
export const denyDelete = needsHigherRank('无权删除同权限等级或更高权限等级的用户');

/** Deleted users keep the rank they had. */
export const denyErase = needsHigherRank('无权抹除同权限等级或更高权限等级的用户');

/** An administrator could otherwise take over another one whose password they know. */
export const denyFactorRemoval = needsHigherRank('无权移除同权限等级或更高权限等级的用户的两步验证');

export const denyOwnDeletion = (role: number): Denial | undefined =>
  isRoot(role) ? deny('root-not-deletable', '不能删除超级管理员账户') : undefined;

export function denyManage(callerRole: number, target: Target, action: UserAction): Denial | undefined {
  const code = manageDenial(callerRole, target, action);
  return code && deny(code, messages[code]);
}
