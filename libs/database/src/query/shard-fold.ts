import type { EntityManager } from '@mikro-orm/postgresql';
import { type Lifecycle, type Logger, periodically } from '@tollgate/chassis';
import { asLeader } from '../events/as-leader.js';
import type { Leader } from '../events/leader.js';

/** A table of sums by day, of which each connection writes its own row, told by a column `shard`; sums of connections are joined in row 0. */
export interface ShardedSums {
  table: string;
  /** Columns of its primary key in that order, `day` among them, without `shard`. */
  key: readonly string[];
  sums: readonly string[];
}

const EVERY_MS = 600_000;
const STEP = 5_000;
const quoted = (names: readonly string[], of = ''): string => names.map((name) => `${of}"${name}"`).join(', ');

/**
 * Joins at most so many rows of days that are over on every clock, and answers how many it took. One statement, so a killed one did nothing. What
 * somebody is adding to is passed by, and rows are written in the order of the key, as bookings write them, so none waits for the other for ever.
 */
const joinSome = ({ table, key, sums }: ShardedSums, most: number): string => `with "apart" as (
    select ${quoted(key)}, "shard" from "${table}" where "shard" <> 0 and "day" < (now() at time zone 'UTC')::date - 2
    order by "day", ${quoted(key)}, "shard" limit ${most} for update skip locked
  ), "taken" as (
    delete from "${table}" t using "apart" a where (${quoted([...key, 'shard'], 't.')}) = (${quoted([...key, 'shard'], 'a.')}) returning t.*
  ), "joined" as (
    insert into "${table}" as t (${quoted(key)}, "shard", ${quoted(sums)})
    select ${quoted(key)}, 0, ${sums.map((name) => `sum("${name}")`).join(', ')} from "taken" group by ${quoted(key)} order by ${quoted(key)}
    on conflict (${quoted(key)}, "shard") do update set ${sums.map((name) => `"${name}" = t."${name}" + excluded."${name}"`).join(', ')}
  ) select count(*)::int as "rows" from "taken"`;

interface Parts {
  em: EntityManager;
  leader: Leader;
  lifecycle: Lifecycle;
  logger: Logger;
}

/** Joins what connections have summed apart, every ten minutes on the replica that leads: a day is one row of its key once it is over. */
export class ShardFold {
  private readonly em: EntityManager;

  constructor(
    { em, leader, ...loop }: Parts,
    private readonly sums: ShardedSums,
  ) {
    this.em = em;
    periodically(
      loop,
      `joining of ${sums.table}`,
      EVERY_MS,
      asLeader(leader, em, () => this.fold()),
    );
  }

  /** Until nothing is left that nobody is adding to. A row that comes late is joined the next time. */
  async fold(step = STEP): Promise<void> {
    for (let rows = step; rows === step;) {
      const [taken] = await this.em.execute<{ rows: number }[]>(joinSome(this.sums, step));
      rows = taken?.rows ?? 0;
    }
  }
}
