import { raw } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { QuotaData } from '@tollgate/contracts/api/log';
import { toCount } from '../rowset.js';
import { QuotaHour } from './quota-hour.entity.js';
import { toQuotaData } from './quota-hour.reply.js';
import type { Span } from './span.js';

const oldestFirst = [{ hour: 'asc' }, { id: 'asc' }] as const;

@Injectable()
export class DataQueries {
  constructor(private readonly em: EntityManager) {}

  async ofUser(userId: number, span: Span): Promise<QuotaData[]> {
    return this.find({ userId }, span);
  }

  async ofUsername(username: string, span: Span): Promise<QuotaData[]> {
    return this.find({ username }, span);
  }

  /** The sum over all users, by model and hour. */
  async ofEverybody({ from, to }: Span): Promise<QuotaData[]> {
    const rows = await this.em
      .createQueryBuilder(QuotaHour)
      .select([
        'modelName',
        'hour',
        raw('sum("count") as "count"'),
        raw('sum("quota") as "quota"'),
        raw('sum("token_used") as "token_used"'),
      ])
      .where({ hour: { $gte: from, $lte: to }, count: { $gt: 0 } })
      .groupBy(['modelName', 'hour'])
      .orderBy([{ hour: 'asc' }, { modelName: 'asc' }])
      .execute<Record<'model_name' | 'hour' | 'count' | 'quota' | 'token_used', unknown>[]>('all', false);
    return rows.map((row) => ({
      id: 0,
      user_id: 0,
      username: '',
      model_name: String(row.model_name),
      created_at: toCount(row.hour),
      token_used: toCount(row.token_used),
      count: toCount(row.count),
      quota: toCount(row.quota),
    }));
  }

  private async find(owner: { userId: number } | { username: string }, { from, to }: Span): Promise<QuotaData[]> {
    const rows = await this.em.find(
      QuotaHour,
      { ...owner, hour: { $gte: from, $lte: to }, count: { $gt: 0 } },
      { orderBy: [...oldestFirst], disableIdentityMap: true },
    );
    return rows.map(toQuotaData);
  }
}
