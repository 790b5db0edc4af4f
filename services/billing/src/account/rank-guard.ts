import { Injectable } from '@nestjs/common';
import { resolveUsers, Role } from '@tollgate/contracts';
import { AppError, type Caller, InternalClient } from '@tollgate/chassis';

/** As many as one internal call takes. */
const AT_ONCE = 1000;

/** Administrators reach into the wallets of users below them only, the super administrator into all. */
@Injectable()
export class RankGuard {
  constructor(private readonly internal: InternalClient) {}

  /** Throws `rank-too-low`. A deleted user has no rank any more. */
  async requireAbove(caller: Caller, userId: number): Promise<void> {
    await this.requireAboveAll(caller, [userId]);
  }

  async requireAboveAll(caller: Caller, userIds: readonly number[]): Promise<void> {
    if (caller.role >= Role.root) return;
    for (let start = 0; start < userIds.length; start += AT_ONCE) {
      const { users } = await this.internal.call(resolveUsers, { ids: userIds.slice(start, start + AT_ONCE) });
      if (users.some(({ role }) => role >= caller.role))
        throw new AppError('forbidden', 'user-of-equal-or-higher-rank', '无权获取同级或更高等级用户的信息');
    }
  }

  async isAbove(caller: Caller, userId: number): Promise<boolean> {
    if (caller.role >= Role.root) return true;
    const { users } = await this.internal.call(resolveUsers, { ids: [userId] });
    return (users[0]?.role ?? 0) < caller.role;
  }
}
