import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { adminAction } from '@tollgate/contracts';
import { AppError } from '@tollgate/chassis';
import { Outbox } from '@tollgate/database';
import { toCount } from '../rowset.js';
import { takeFromHours, WHILE_NAMES_STAY } from '../stat/rollup.js';
import { LogPartitions } from './log-partitions.js';

const BATCH = 5_000;

const deleteSome = `with old as (select "created_at", "id" from "log" where "created_at" < ? order by "created_at", "id" limit ${BATCH}),
  gone as (delete from "log" l using old where l."created_at" = old."created_at" and l."id" = old."id" and l."created_at" < ?
    returning l."created_at", l."type", l."user_id", l."username", l."model_name", l."quota"),
  taken as (${takeFromHours('gone')})
  select count(*) as "rows" from gone`;

@Injectable()
export class LogClearService {
  constructor(
    private readonly em: EntityManager,
    private readonly partitions: LogPartitions,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Removes every row older than the time, of all types, and answers how many. Whole months go at once, the rest in batches,
   * so that nobody waits for it. The intent is on record before the first row goes, the number after the last.
   */
  async clear(targetTimestamp: number, actorId: number): Promise<number> {
    if (targetTimestamp <= 0)
      throw new AppError('invalid', 'target-timestamp-required', 'target timestamp is required');
    await this.record(actorId, 'log-clear', { target_timestamp: targetTimestamp });
    const rows = (await this.dropMonths(targetTimestamp)) + (await this.deleteRows(targetTimestamp));
    await this.record(actorId, 'log-cleared', { target_timestamp: targetTimestamp, rows });
    return rows;
  }

  private async dropMonths(before: number): Promise<number> {
    let total = 0;
    for (const month of await this.partitions.monthsBefore(before)) total += (await this.partitions.drop(month)) ?? 0;
    return total;
  }

  private async deleteRows(before: number): Promise<number> {
    let total = 0;
    for (;;) {
      const [row] = await this.em.transactional(async (em) => {
        await em.execute(WHILE_NAMES_STAY, [], 'run');
        return em.execute<{ rows: unknown }[]>(deleteSome, [before, before]);
      });
      const deleted = toCount(row?.rows);
      total += deleted;
      if (deleted < BATCH) return total;
    }
  }

  private async record(actorId: number, action: string, after: Record<string, unknown>): Promise<void> {
    await this.em.transactional(() => this.outbox.add(adminAction, { actorId, action, subject: 'log', after }));
  }
}
