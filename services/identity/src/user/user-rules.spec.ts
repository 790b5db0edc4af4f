import { describe, expect, it } from '@jest/globals';
import type { UserAction } from '@tollgate/contracts/api/user';
import {
  denyCreate,
  denyDelete,
  denyEdit,
  denyErase,
  denyFactorRemoval,
  denyManage,
  denyOwnDeletion,
  denyView,
} from './user-rules.js';

const rank = '无权更新同权限等级或更高权限等级的用户信息';
const promoteByAdmin = '普通管理员用户无法提升其他用户为管理员';
const isAdmin = '该用户已经是管理员';
const isOrdinary = '该用户已经是普通用户';
const allowed = undefined;

/** Role of the caller, role of the target, then the expected denial of disable, enable, delete, promote, demote. */
const matrix: [number, number, ...(string | undefined)[]][] = [
  [10, 1, allowed, allowed, allowed, promoteByAdmin, isOrdinary],
  [10, 10, rank, rank, rank, rank, rank],
  [10, 100, rank, rank, rank, rank, rank],
  [100, 1, allowed, allowed, allowed, allowed, isOrdinary],
  [100, 10, allowed, allowed, allowed, isAdmin, allowed],
  [100, 100, '无法禁用超级管理员用户', allowed, '无法删除超级管理员用户', isAdmin, '无法降级超级管理员用户'],
];
const actions: UserAction[] = ['disable', 'enable', 'delete', 'promote', 'demote'];

describe('the rank matrix', () => {
  const cases = matrix.flatMap(([caller, target, ...texts]) =>
    actions.map((action, index) => ({ caller, target, action, text: texts[index] })),
  );

  it.each(cases)('role $caller wants to $action role $target: $text', ({ caller, target, action, text }) => {
    expect(denyManage(caller, { role: target, status: 1 }, action)?.message).toBe(text);
  });

  it('never enables a user whose status is 3', () => {
    expect(denyManage(100, { role: 1, status: 3 }, 'enable')).toBeDefined();
    expect(denyManage(100, { role: 1, status: 2 }, 'enable')).toBeUndefined();
  });

  it('lets administrators see and edit users below them only', () => {
    const user = { role: 1, status: 1 };
    const admin = { role: 10, status: 1 };
    expect(denyView(10, user)).toBeUndefined();
    expect(denyView(10, admin)?.message).toBe('无权获取同级或更高等级用户的信息');
    expect(denyView(100, { role: 100, status: 1 })).toBeUndefined();
    expect(denyEdit(10, admin)?.message).toBe(rank);
    expect(denyEdit(10, user, 10)?.message).toBe('无权将其他用户权限等级提升到大于等于自己的权限等级');
    expect(denyEdit(10, user, 1)).toBeUndefined();
    expect(denyEdit(100, { role: 100, status: 1 }, 100)).toBeUndefined();
  });

  it.each([
    ['deletes', denyDelete, '无权删除同权限等级或更高权限等级的用户'],
    ['erases', denyErase, '无权抹除同权限等级或更高权限等级的用户'],
    ['removes second factors', denyFactorRemoval, '无权移除同权限等级或更高权限等级的用户的两步验证'],
  ])('%s strictly below the caller', (_, denyIt, message) => {
    const denialOf = (caller: number, role: number) => denyIt(caller, { role, status: 1 });
    const denied = { code: 'user-of-equal-or-higher-rank', message };
    expect([denialOf(10, 1), denialOf(100, 10)]).toEqual([undefined, undefined]);
    expect([denialOf(10, 10), denialOf(10, 100), denialOf(100, 100)]).toEqual([denied, denied, denied]);
  });

  it('creates strictly below the caller, and lets all but super administrators delete themselves', () => {
    expect(denyCreate(10, 1)).toBeUndefined();
    expect(denyCreate(10, 10)?.message).toBe('无法创建权限大于等于自己的用户');
    expect(denyCreate(100, 100)?.message).toBe('无法创建权限大于等于自己的用户');
    expect(denyOwnDeletion(100)?.message).toBe('不能删除超级管理员账户');
    expect(denyOwnDeletion(10)).toBeUndefined();
  });
});
