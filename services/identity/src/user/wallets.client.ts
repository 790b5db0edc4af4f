import { Injectable } from '@nestjs/common';
import {
  adjustQuota,
  askAdjustment,
  type Balance,
  findAffiliate,
  getBalances,
  openAccount,
  type QuotaAdjustment,
} from '@tollgate/contracts';
import { AppError, InternalClient, Logger } from '@tollgate/chassis';
import { UserStore } from './user-store.js';

type OpeningKind = 'setup' | 'register' | 'admin' | 'oauth';

/** Calls of identity to billing. */
@Injectable()
export class WalletsClient {
  constructor(
    private readonly internal: InternalClient,
    private readonly logger: Logger,
    private readonly users: UserStore,
  ) {}

  /**
   * Opens the wallet before the user gets the reply. A failure is only logged: billing also opens the wallet on the
   * event `user-registered`, and opening it twice does nothing.
   */
  async open(userId: number, kind: OpeningKind, inviterId = 0): Promise<void> {
    try {
      await this.internal.call(openAccount, { userId, kind, inviterId });
    } catch (error) {
      this.logger.warn('wallet not opened yet, the event will do it', { error, userId });
    }
  }

  /** Fetches all balances in one call; a missing balance is an error, never a zero. */
  async balancesOf(userIds: readonly number[]): Promise<(userId: number) => Balance> {
    if (userIds.length === 0) return missing;
    const { balances } = await this.internal.call(getBalances, { userIds: [...userIds] });
    const byUser = new Map(balances.map((balance) => [balance.userId, balance]));
    return (userId) => byUser.get(userId) ?? missing(userId);
  }

  async adjust(change: QuotaAdjustment): Promise<void> {
    await this.internal.call(adjustQuota, change);
  }

  /**
   * Throws `approval-required` when the change needs the approval of another administrator; nothing is posted either
   * way. During an upgrade, an older billing does not have this call; it then refuses the change itself. A billing that
   * rejects the caller's identity answers `service-unknown`.
   */
  async requestApproval(change: QuotaAdjustment): Promise<void> {
    try {
      await this.internal.call(askAdjustment, change);
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'unknown-path')) throw error;
    }
  }

  /** 0 when no user has this code any more. Billing keeps the codes of deleted users. */
  async inviterOf(code: string | undefined): Promise<number> {
    if (code === undefined) return 0;
    const { userId } = await this.internal.call(findAffiliate, { code });
    return userId !== null && (await this.users.find(userId)) ? userId : 0;
  }
}

const missing = (userId: number): never => {
  throw new AppError('unavailable', 'balance-unavailable', '暂时无法读取余额，请稍后重试', { params: { userId } });
};
