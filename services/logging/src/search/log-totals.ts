import { LogType } from '@tollgate/contracts';
import { raw } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { LogStat } from '@tollgate/contracts/api/log';
import { Clock } from '@tollgate/chassis';
import { toCount } from '../rowset.js';
import { QuotaHour } from '../stat/quota-hour.entity.js';
import { LogStore } from '../store/log-store.js';
import { type LogCriteria, conditionsOf } from './log-filter.js';

const RATE_SECONDS = 60;
const HOUR = 3600;

/** Totals of consumption; rows of other types have no quota. */
@Injectable()
export class LogTotals {
  constructor(
    private readonly em: EntityManager,
    private readonly store: LogStore,
    private readonly clock: Clock,
  ) {}

  /** The quota of all matching rows; requests and tokens of the last minute ignore the time filter. */
  async stat(criteria: LogCriteria): Promise<LogStat> {
    if (criteria.type !== 0 && criteria.type !== LogType.consume) return { quota: 0, rpm: 0, tpm: 0 };
    const consumed = { ...criteria, type: LogType.consume };
    const since = this.clock.seconds() - RATE_SECONDS;
    const [quota, recent] = await Promise.all([
      this.quota(consumed),
      this.store.sums(conditionsOf({ ...consumed, start_timestamp: since, end_timestamp: 0 })),
    ]);
    return { quota, rpm: recent.count, tpm: recent.tokens };
  }

  /**
   * Uses the hourly sums for whole hours if the filters allow it, so that the log is read for both ends of the period
   * only.
   */
  private async quota(criteria: LogCriteria): Promise<number> {
    const { start_timestamp: start, end_timestamp: end } = criteria;
    const from = Math.ceil(start / HOUR) * HOUR;
    const to = end === 0 ? Number.MAX_SAFE_INTEGER : Math.floor((end + 1) / HOUR) * HOUR;
    const needsRows = [criteria.token_name, criteria.group, criteria.request_id].some((text) => text !== '');
    if (needsRows || criteria.channel !== 0 || from >= to) return (await this.store.sums(conditionsOf(criteria))).quota;
    const parts = await Promise.all([
      this.hours(criteria, from, to),
      from > start ? this.rows(criteria, start, from - 1) : 0,
      end >= to ? this.rows(criteria, to, end) : 0,
    ]);
    return parts.reduce((sum, part) => sum + part, 0);
  }

  private async rows(criteria: LogCriteria, from: number, to: number): Promise<number> {
    return (await this.store.sums(conditionsOf({ ...criteria, start_timestamp: from, end_timestamp: to }))).quota;
  }

  private async hours({ userId, username, model_name: modelName }: LogCriteria, from: number, to: number) {
    const [row] = await this.em
      .createQueryBuilder(QuotaHour)
      .select([raw('coalesce(sum("logged_quota"), 0) as "quota"')])
      .where({
        ...(userId !== undefined && { userId }),
        ...(username !== '' && { username }),
        ...(modelName !== '' && { modelName }),
        hour: { $gte: from, $lt: to },
      })
      .execute<{ quota: unknown }[]>('all', false);
    return toCount(row?.quota);
  }
}
