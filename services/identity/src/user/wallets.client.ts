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

type OpeningKind = 'setup' | 'register' | 'admin' | 'oauth';

/** What identity asks of billing about money. */
@Injectable()
export class WalletsClient {
  constructor(
    private readonly internal: InternalClient,
    private readonly logger: Logger,
  ) {}

  /**
   * Opens the wallet before the user hears of the account. A failure is not the user's: `user-registered` opens it as soon as
   * billing is back, and opening twice does nothing.
   */
  async open(userId: number, kind: OpeningKind, inviterId = 0): Promise<void> {
    try {
      await this.internal.call(openAccount, { userId, kind, inviterId });
    } catch (error) {
      this.logger.warn('wallet not opened yet, the event will do it', { error, userId });
    }
  }

  /** One call for all; a missing balance is an error, never a zero. */
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
   * Throws `approval-required` where somebody else has to agree first, and moves nothing. A billing of before, in the middle of an
   * upgrade, cannot be asked; it says so when the change itself arrives. One that does not accept who asks refuses otherwise (`service-unknown`).
   */
  async ask(change: QuotaAdjustment): Promise<void> {
    try {
      await this.internal.call(askAdjustment, change);
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'unknown-path')) throw error;
    }
  }

  /** 0 when nobody has this code. */
  async inviterOf(code: string | undefined): Promise<number> {
    if (code === undefined) return 0;
    const { userId } = await this.internal.call(findAffiliate, { code });
    return userId ?? 0;
  }
}

const missing = (userId: number): never => {
  throw new AppError('unavailable', 'balance-unavailable', '暂时无法读取余额，请稍后重试', { params: { userId } });
};
