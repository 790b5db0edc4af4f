import type { EntityManager } from '@mikro-orm/postgresql';
import { type Lifecycle, type Logger, periodically } from '@tollgate/chassis';
import { asLeader } from '../events/as-leader.js';
import type { Leader } from '../events/leader.js';

/**
 * A table of daily sums in which each connection writes a row of its own, distinguished by a column `shard`; these rows are later merged
 * into row 0.
 */
interface ShardedSums {
  table: string;
  /** Columns of its primary key in order, including `day`, without `shard`. */
  key: readonly string[];
  sums: readonly string[];
}

const EVERY_MS = 600_000;
const STEP = 5_000;
const quoted = (names: readonly string[], of = ''): string => names.map((name) => `${of}"${name}"`).join(', ');

/**
 * Merges a limited number of rows of days that are over in every time zone, and returns how many it took. A single statement, so that an
 * interrupted one changes nothing. Rows being written are skipped, and rows are written in key order, as bookings do, which avoids
 * deadlocks.
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

/** Merges the rows of all connections every ten minutes on the leading replica, so that a past day has one row per key. */
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

  /** Repeats until no row is left that can be taken. Rows that arrive later are merged next time. */
  async fold(step = STEP): Promise<void> {
    for (let rows = step; rows === step;) {
      const [taken] = await this.em.execute<{ rows: number }[]>(joinSome(this.sums, step));
      rows = taken?.rows ?? 0;
    }
  }
}
