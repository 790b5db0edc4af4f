import { EntityManager, RequestContext } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { pollIdentity, quotaLow, resolveUsers } from '@tollgate/contracts';
import {
  AppError,
  InternalClient,
  Lifecycle,
  Logger,
  OptionStore,
  periodically,
  growingCache,
} from '@tollgate/chassis';
import { Outbox } from '@tollgate/database';
import { rowset, units } from '../units.js';

interface Balance {
  userId: number;
  quota: number;
}

type PendingBalance = readonly [userId: number, quota: number];

interface KnownThreshold {
  /** `undefined` when the user has no threshold of their own. */
  own: number | undefined;
  canBeNotified: boolean;
}

const CHECK_MS = 1000;
const BATCH = 500;

/**
 * Notifies users of a low balance, at most once in two hours each. Balances are checked after their booking and outside
 * its transaction, since the thresholds come from identity. The check compares the balance itself rather than a change
 * of it, so a check that a crash has lost is repeated with the user's next charge.
 */
@Injectable()
export class LowBalanceWatch {
  private readonly pending = new Map<number, number>();
  private readonly thresholds = growingCache<number, KnownThreshold>({ most: 50_000 });
  /** The revision of identity's users up to which `thresholds` is current. */
  private usersRevision = 0;

  constructor(
    private readonly em: EntityManager,
    private readonly internal: InternalClient,
    private readonly options: OptionStore,
    private readonly outbox: Outbox,
    lifecycle: Lifecycle,
    logger: Logger,
  ) {
    periodically({ lifecycle, logger }, 'low balance watch', CHECK_MS, () => this.run());
  }

  noteBalances(balances: readonly Balance[]): void {
    for (const { userId, quota } of balances) this.pending.set(userId, quota);
  }

  async run(): Promise<void> {
    if (this.pending.size === 0) return;
    try {
      await this.forgetChanged();
      while (this.pending.size > 0) {
        const batch = [...this.pending].slice(0, BATCH);
        await this.learnThresholds(batch);
        await this.check(batch);
        this.settle(batch);
      }
    } catch (error) {
      if (error instanceof AppError && error.kind === 'unavailable') await this.checkKnown();
      throw error;
    }
  }

  /**
   * Without identity, the thresholds last known count. Users who are not low by theirs stay pending, because they may
   * have raised it.
   */
  private async checkKnown(): Promise<void> {
    const low = [...this.pending].filter(([userId, quota]) => quota < (this.thresholdOf(userId) ?? -Infinity));
    for (let start = 0; start < low.length; start += BATCH) {
      const batch = low.slice(start, start + BATCH);
      await this.check(batch);
      this.settle(batch);
    }
  }

  /** Notifies the users of the batch who are low. */
  private async check(batch: readonly PendingBalance[]): Promise<void> {
    const low = batch.flatMap(([userId, quota]) => {
      const threshold = this.thresholdOf(userId);
      return threshold !== undefined && quota < threshold ? [{ userId, threshold }] : [];
    });
    if (low.length > 0) await RequestContext.create(this.em, () => this.notice(low));
  }

  /** A balance that was booked meanwhile stays pending, because it is newer than the checked one. */
  private settle(batch: readonly PendingBalance[]): void {
    for (const [userId, quota] of batch) if (this.pending.get(userId) === quota) this.pending.delete(userId);
  }

  /** Drops the thresholds of users who have changed since the last check. */
  private async forgetChanged(): Promise<void> {
    if (this.thresholds.size === 0) return;
    const { userRevision, changedUserIds, complete } = await this.internal.call(pollIdentity, {
      usersSince: this.usersRevision,
    });
    if (!complete) this.thresholds.clear();
    for (const userId of changedUserIds) this.thresholds.delete(userId);
    this.usersRevision = userRevision;
  }

  private async learnThresholds(batch: readonly PendingBalance[]): Promise<void> {
    const unknown = batch.flatMap(([userId]) => (this.thresholds.has(userId) ? [] : [userId]));
    if (unknown.length === 0) return;
    const { users } = await this.internal.call(resolveUsers, { ids: unknown });
    for (const { id, quotaWarningThreshold: own, canBeNotified = true } of users)
      this.thresholds.set(id, { own, canBeNotified });
  }

  /**
   * `undefined` for users who cannot be notified, also those unknown to identity, so that no notice of theirs counts as
   * sent.
   */
  private thresholdOf(userId: number): number | undefined {
    const known = this.thresholds.get(userId);
    if (!known?.canBeNotified) return undefined;
    // A threshold beyond the safe integers is no valid number of an event, and would make the event of all users of the
    // batch fail.
    return Math.min(known.own ?? this.options.get('QuotaRemindThreshold'), Number.MAX_SAFE_INTEGER);
  }

  private async notice(low: readonly { userId: number; threshold: number }[]): Promise<void> {
    await this.em.transactional(async () => {
      const rows = await this.em.execute<{ user_id: number; quota: unknown; threshold: number }[]>(
        `with low as (select * from json_to_recordset(?::json) as l("userId" int, "threshold" float8)),
         locked as (select a."user_id" from "account" a join low on low."userId" = a."user_id" order by a."user_id" for update of a)
         update "account" a set "low_balance_noticed_at" = now() from low, locked
         where a."user_id" = low."userId" and a."user_id" = locked."user_id" and a."credit" - a."spent" < low."threshold"
           and (a."low_balance_noticed_at" is null or a."low_balance_noticed_at" <= now() - interval '2 hours')
         returning a."user_id", a."credit" - a."spent" as "quota", low."threshold"`,
        [rowset(low)],
      );
      await this.outbox.addAll(
        quotaLow,
        rows.map((row) => ({
          userId: row.user_id,
          quota: units(row.quota),
          threshold: Math.ceil(row.threshold),
        })),
      );
    });
  }
}
