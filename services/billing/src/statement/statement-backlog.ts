import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Clock, Lifecycle, Logger, periodically } from '@tollgate/chassis';
import { asLeader, bound, Leader, sqlTimeOfId } from '@tollgate/database';
import { units } from '../units.js';

const EVERY_MS = 5_000;
/** How long each run works, so that the backlog takes less than half of one processor of the database. */
const WORK_MS = 2_000;
const STEP = 10_000;
/**
 * Bookings and a batch may wait for each other's rows. The batch gives up after this time, sooner than PostgreSQL's
 * deadlock detection, which takes a second.
 */
const PATIENCE = '500ms';
const BUSY = '55P03';

const key = `"day", "origin", "user_id", "code", "debit", "credit", "group", "channel_id", "model"`;
const dayOf = `date '1970-01-01' + (${sqlTimeOfId('"id"')} / 86400000)::int`;

/**
 * Adds the next rows after $1 up to $2 to the sums, at most $3; returns their number and the last id. No closed period
 * contains such rows.
 */
const addBatch = `with "slice" as materialized (
    select * from "posting" where "id" > $1::uuid and "id" <= $2::uuid order by "id" limit $3
  ), "summed" as (
    insert into "statement_day" as d (${key}, "amount", "count", "cost", "costed", "costed_amount")
    select ${dayOf}, ${dayOf}, "user_id", "code", split_part("debit", ':', 1), split_part("credit", ':', 1), "group", "channel_id", "model",
      sum("amount"), count(*), coalesce(sum("cost"), 0), count("cost"), coalesce(sum("amount") filter (where "cost" is not null), 0)
    from "slice" group by 1, 2, 3, 4, 5, 6, 7, 8, 9 order by 3, 4, 2, 5, 6, 7, 8, 9
    on conflict (${key}) do update set "amount" = d."amount" + excluded."amount", "count" = d."count" + excluded."count",
      "cost" = d."cost" + excluded."cost", "costed" = d."costed" + excluded."costed", "costed_amount" = d."costed_amount" + excluded."costed_amount"
  ) select count(*) as "rows", (select "id"::text from "slice" order by "id" desc limit 1) as "last" from "slice"`;

/** Adds postings from before statements existed to the sums, in the order of their ids, while booking continues. */
@Injectable()
export class StatementBacklog {
  readonly step: number = STEP;
  /** Nothing is left to do here: what is booked is summed with its booking, and only a migration leaves a backlog, before we start. */
  private isDone = false;

  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
    private readonly logger: Logger,
    leader: Leader,
    lifecycle: Lifecycle,
  ) {
    periodically(
      { lifecycle, logger },
      'sums of statements of before',
      EVERY_MS,
      asLeader(leader, em, () => this.work()),
    );
  }

  /** Whether every posting is in the sums. */
  async isWhole(): Promise<boolean> {
    return (await this.em.execute<object[]>(`select 1 from "statement_backlog"`)).length === 0;
  }

  /** Adds batches for a while, each in its own transaction. */
  async work(): Promise<void> {
    const until = this.clock.monotonic() + WORK_MS;
    while (!this.isDone && this.clock.monotonic() < until) {
      this.isDone = await this.isWhole();
      if (!this.isDone) await this.advance();
    }
  }

  /**
   * Adds one batch. The sums and the progress change in one transaction, so a repeated or killed batch counts nothing
   * twice. Does nothing while another transaction holds the lock.
   */
  async advance(): Promise<void> {
    try {
      const isLast = await this.em.transactional(() => this.addNext());
      if (isLast) this.logger.info('statements have every posting of before');
    } catch (error) {
      if ((error as { code?: string }).code !== BUSY) throw error;
    }
  }

  /** True when this was the last batch. */
  private async addNext(): Promise<boolean> {
    await this.em.execute(`set local lock_timeout = '${PATIENCE}'`, [], 'run');
    await this.em.execute(`select pg_advisory_xact_lock(hashtextextended('tollgate:statement-backlog', 0))`, [], 'run');
    const [state] = await this.em.execute<{ after: string; fence: string }[]>(
      `select "after", "fence" from "statement_backlog" for update`,
    );
    if (!state) return false;
    const values = [state.after, state.fence, this.step];
    const [added] = await bound<{ rows: unknown; last: string | null }>(this.em, addBatch, values);
    const isLast = units(added?.rows) < this.step;
    if (isLast) await this.em.execute(`delete from "statement_backlog"`, [], 'run');
    else await this.em.execute(`update "statement_backlog" set "after" = ?`, [added?.last], 'run');
    return isLast;
  }
}
