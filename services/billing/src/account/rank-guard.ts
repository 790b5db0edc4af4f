import { Injectable } from '@nestjs/common';
import { resolveUsers, Role, UserStatus } from '@tollgate/contracts';
import { AppError, type Caller, InternalClient } from '@tollgate/chassis';

/** Most users in one internal call. */
const AT_ONCE = 1000;

/** Restricts administrators to the wallets of users below their role; the super administrator may access all. */
@Injectable()
export class RankGuard {
  constructor(private readonly internal: InternalClient) {}

  /** Throws `user-of-equal-or-higher-rank`. A deleted user has no rank any more. */
  async requireAbove(caller: Caller, userId: number): Promise<void> {
    await this.requireAboveAll(caller, [userId]);
  }

  async requireAboveAll(caller: Caller, userIds: readonly number[]): Promise<void> {
    if (await this.outranksAll(caller.role, userIds)) return;
    throw new AppError('forbidden', 'user-of-equal-or-higher-rank', '无权获取同级或更高等级用户的信息');
  }

  /**
   * Throws `approval-requester-gone` unless the requester could still make the request, as an enabled administrator
   * above all these users.
   */
  async requireInOffice(requesterId: number, userIds: readonly number[]): Promise<void> {
    const { users } = await this.internal.call(resolveUsers, { ids: [requesterId] });
    const [requester] = users;
    const mayAsk = requester?.status === UserStatus.enabled && requester.role >= Role.admin;
    if (mayAsk && (await this.outranksAll(requester.role, userIds))) return;
    throw new AppError('conflict', 'approval-requester-gone', '申请人已不再有权提交该申请，不能批准', {
      params: { requester: requesterId },
    });
  }

  /** Throws `user-not-found` for a deleted user. */
  async requirePresent(userId: number): Promise<void> {
    if (await this.exists(userId)) return;
    throw new AppError('not-found', 'user-not-found', '用户不存在', { params: { id: userId } });
  }

  /** False when the user was deleted. */
  async exists(userId: number): Promise<boolean> {
    const { users } = await this.internal.call(resolveUsers, { ids: [userId] });
    return users.length > 0;
  }

  private async outranksAll(role: number, userIds: readonly number[]): Promise<boolean> {
    if (role >= Role.root) return true;
    for (let start = 0; start < userIds.length; start += AT_ONCE) {
      const { users } = await this.internal.call(resolveUsers, { ids: userIds.slice(start, start + AT_ONCE) });
      if (users.some((user) => user.role >= role)) return false;
    }
    return true;
  }

  async isAbove(caller: Caller, userId: number): Promise<boolean> {
    if (caller.role >= Role.root) return true;
    const { users } = await this.internal.call(resolveUsers, { ids: [userId] });
    return (users[0]?.role ?? 0) < caller.role;
  }
}
