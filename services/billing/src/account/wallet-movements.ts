import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { AppError } from '@tollgate/chassis';
import { JournalService, type MovementCode, walletOf } from '../journal/journal.service.js';
import { RecallBoard } from '../lease/recall-board.js';
import { lockAccount } from './lock-account.js';
import { outOfRange, requireRoom } from './room.js';

interface WalletMovement {
  /** With `reference` the natural key of the movement, which is carried out once. */
  code: MovementCode;
  reference: string;
  userId: number;
  /** Units, above zero. */
  amount: number;
  /** The other account of the posting. */
  counterpart: string;
  actorId?: number;
  reason?: string;
}

/**
 * Moves quota into or out of a wallet by one posting, and returns its id. All methods join the caller's transaction.
 */
@Injectable()
export class WalletMovements {
  constructor(
    private readonly em: EntityManager,
    private readonly journal: JournalService,
    private readonly recalls: RecallBoard,
  ) {}

  /**
   * Returns no id when the movement had been posted before. Throws `quota-out-of-range` where the wallet would exceed
   * the limit; for a payment only where its sum could not be counted exactly.
   */
  async deposit({ counterpart, ...movement }: WalletMovement): Promise<string | undefined> {
    const { credit, spent } = await lockAccount(this.em, movement.userId);
    const { code, amount: change } = movement;
    if (code !== 'top-up') requireRoom({ before: credit - spent, change, credit });
    else if (!Number.isSafeInteger(credit + change)) throw outOfRange(Number.MAX_SAFE_INTEGER);
    const legs = { debit: counterpart, credit: walletOf(movement.userId) };
    return this.move({ ...movement, ...legs }, movement.amount);
  }

  /** Throws `wallet-short` when the wallet holds less than the amount, unless it may fall below zero. */
  async withdraw({ counterpart, ...movement }: WalletMovement, mayOverdraw: boolean): Promise<string | undefined> {
    const { userId, amount } = movement;
    const { credit, spent, held } = await lockAccount(this.em, userId);
    const left = credit - spent - amount;
    if (left < 0 && !mayOverdraw) throw walletShort(credit - spent, amount);
    const legs = { debit: walletOf(userId), credit: counterpart };
    const posted = await this.move({ ...movement, ...legs }, -amount);
    if (posted !== undefined && left < held) await this.recalls.request([{ kind: 'wallet', id: userId }]);
    return posted;
  }

  /** Throws `wallet-short` when the wallet holds less than `amount`. */
  async requireCovered(userId: number, amount: number): Promise<void> {
    const { credit, spent } = await lockAccount(this.em, userId);
    if (credit - spent < amount) throw walletShort(credit - spent, amount);
  }

  private async move(movement: Parameters<JournalService['post']>[0], change: number): Promise<string | undefined> {
    const posted = await this.journal.post(movement);
    if (posted === undefined) return undefined;
    const sql = `update "account" set "credit" = "credit" + ? where "user_id" = ?`;
    await this.em.execute(sql, [change, movement.userId], 'run');
    return posted;
  }
}

const walletShort = (quota: number, needed: number): AppError =>
  new AppError('conflict', 'wallet-short', '用户余额不足以退回该订单的额度', {
    field: 'allow_negative',
    params: { quota, needed },
  });
