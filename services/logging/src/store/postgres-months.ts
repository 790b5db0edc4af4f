import { RequestContext } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Clock, Lifecycle, Logger, periodically } from '@tollgate/chassis';
import { Leader } from '@tollgate/database';
import { toCount } from '../rowset.js';
import { takeFromHours, WHILE_NAMES_STAY } from '../stat/rollup.js';
import { type Month, monthOf, monthsFrom } from './month.js';

const CHECK_MS = 60_000;
/** This month and the next two: a service that stands still for weeks finds its partitions all the same. */
const MONTHS_AHEAD = 3;
/** What needs the whole table to itself gives up after this, rather than make every reader and writer queue behind it. */
const LOCK_TIMEOUT = `set local lock_timeout = '3s'`;
/** No lock in time, or a writer of an old month in the way. */
const BUSY = new Set(['55P03', '40P01']);

/** Months of the log as tables of their own, made ahead and dropped whole. Rows of any other time are in the default partition. */
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

  /** Rows that arrived before their partition did move into it. */
  async make(month: Month): Promise<void> {
    if ((await this.tables()).includes(month.table)) return;
    await this.em.transactional(async (em) => {
      await em.execute(LOCK_TIMEOUT, [], 'run');
      // First of all, so that nothing can be written to it between the move and the attachment, and no lock is ever upgraded.
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

  /** Drops the months that end at or before a time, as far as they are not in use, and answers how many rows went with them. */
  async dropBefore(seconds: number): Promise<number> {
    const old = (await this.tables()).flatMap((table) => monthOf(table) ?? []).filter(({ to }) => to <= seconds);
    let total = 0;
    for (const month of old) total += (await this.drop(month)) ?? 0;
    return total;
  }

  /** The number of rows that went with it; undefined when the table is too busy to be dropped. */
  private async drop({ table }: Month): Promise<number | undefined> {
    try {
      return await this.em.transactional(async (em) => {
        await em.execute(LOCK_TIMEOUT, [], 'run');
        await em.execute(WHILE_NAMES_STAY, [], 'run');
        // Readers go on while the rows are counted; only the drop itself needs everybody out, for a moment.
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
