import { RequestContext } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Clock, Lifecycle, Logger, periodically } from '@tollgate/chassis';
import { Leader } from '@tollgate/database';
import { toCount } from '../rowset.js';
import { takeFromHours, WHILE_NAMES_STAY } from '../stat/rollup.js';
import { type Month, monthOf, monthsFrom } from './month.js';

const CHECK_MS = 60_000;
/** This month and the next two, so that a service that was stopped for weeks still has a partition. */
const MONTHS_AHEAD = 3;
/**
 * Statements that need an exclusive lock on the table give up after this time; otherwise all readers and writers would
 * queue behind them.
 */
const LOCK_TIMEOUT = `set local lock_timeout = '3s'`;
/** SQLSTATE of a lock timeout, and of a deadlock with a writer to an old month. */
const BUSY = new Set(['55P03', '40P01']);

/**
 * Partitions of the log by month, created in advance and dropped as a whole. Rows of other times are in the default
 * partition.
 */
@Injectable()
export class PostgresMonths {
  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
    private readonly leader: Leader,
    lifecycle: Lifecycle,
    logger: Logger,
  ) {
    periodically({ lifecycle, logger }, 'creation of log partitions', CHECK_MS, () => this.makeAhead());
  }

  private async makeAhead(): Promise<void> {
    if (!this.leader.isLeader) return;
    await RequestContext.create(this.em, async () => {
      for (const month of monthsFrom(this.clock.seconds(), MONTHS_AHEAD)) await this.make(month);
    });
  }

  /** Moves rows that arrived before their partition existed into it. */
  async make(month: Month): Promise<void> {
    if ((await this.tables()).includes(month.table)) return;
    await this.em.transactional(async (em) => {
      await em.execute(LOCK_TIMEOUT, [], 'run');
      // Locks first, so that nothing can be written to the default partition between the move and the attachment, and
      // no lock has to be upgraded.
      await em.execute(`lock table "log_default" in access exclusive mode`, [], 'run');
      if ((await this.tables()).includes(month.table)) return;
      await em.execute(
        `create table "${month.table}" (like "log" including defaults including constraints)`,
        [],
        'run',
      );
      await em.execute(
        `with moved as (delete from "log_default" where "created_at" >= ? and "created_at" < ? returning *) insert into "${month.table}" select * from moved`,
        [month.from, month.to],
        'run',
      );
      await em.execute(
        `alter table "log" attach partition "${month.table}" for values from (${month.from}) to (${month.to})`,
        [],
        'run',
      );
    });
  }

  /** Drops the months that end at or before a time, unless they are in use, and returns the number of rows dropped. */
  async dropBefore(seconds: number): Promise<number> {
    const old = (await this.tables()).flatMap((table) => monthOf(table) ?? []).filter(({ to }) => to <= seconds);
    let total = 0;
    for (const month of old) total += (await this.drop(month)) ?? 0;
    return total;
  }

  /** Returns the number of dropped rows; `undefined` when the table is too busy to be dropped. */
  private async drop({ table }: Month): Promise<number | undefined> {
    try {
      return await this.em.transactional(async (em) => {
        await em.execute(LOCK_TIMEOUT, [], 'run');
        await em.execute(WHILE_NAMES_STAY, [], 'run');
        // Readers can continue while the rows are counted; only the drop itself needs an exclusive lock, for a moment.
        await em.execute(`lock table "${table}" in exclusive mode`, [], 'run');
        const [row] = await em.execute<{ rows: unknown }[]>(`select count(*) as "rows" from "${table}"`);
        await em.execute(takeFromHours(`"${table}"`), [], 'run');
        await em.execute(`drop table "${table}"`, [], 'run');
        return toCount(row?.rows);
      });
    } catch (error) {
      if (BUSY.has((error as { code?: string }).code ?? '')) return undefined;
      throw error;
    }
  }

  private async tables(): Promise<string[]> {
    const rows = await this.em.execute<{ table: string }[]>(
      `select c.relname as "table" from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'log'::regclass order by 1`,
    );
    return rows.map((row) => row.table);
  }
}
