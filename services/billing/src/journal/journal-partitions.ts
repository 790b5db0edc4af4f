import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Clock, Lifecycle, Logger, periodically } from '@tollgate/chassis';
import { monthPartition } from './month-partition.js';

const MONTHS_AHEAD = 2;
const CHECK_MS = 60 * 60 * 1000;
/**
 * Creating a partition locks the whole table. A long read such as an export would keep the creation waiting, and all
 * bookings behind it; so it gives up after this time, and is retried long before the month begins.
 */
const PATIENCE = `set local lock_timeout = '3s'`;
const ONE_AT_A_TIME = `select pg_advisory_xact_lock(hashtextextended('tollgate:journal-partitions', 0))`;

/**
 * Keeps partitions of the journal for this month and the next ones. A row without a partition goes to the default
 * partition, where it works just as well; a month that already has such rows stays there. A failed creation is retried
 * an hour later.
 */
@Injectable()
export class JournalPartitions {
  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
    private readonly logger: Logger,
    lifecycle: Lifecycle,
  ) {
    // Runs before the first event is booked, so that this month's rows do not go to the default partition.
    lifecycle.onReady(() => this.ensure());
    periodically({ lifecycle, logger }, 'journal partitions', CHECK_MS, () => this.ensure());
  }

  async ensure(): Promise<void> {
    const now = new Date(this.clock.now());
    for (let offset = 0; offset <= MONTHS_AHEAD; offset += 1) await this.create(monthPartition(now, offset));
  }

  private async create({ name, from, to }: ReturnType<typeof monthPartition>): Promise<void> {
    if (await this.exists(name)) return;
    try {
      await this.em.transactional(async (em) => {
        // Replicas that start at the same time create the same partitions, and `if not exists` does not protect against
        // concurrent creation.
        await em.execute(ONE_AT_A_TIME, [], 'run');
        if (await this.exists(name)) return;
        await em.execute(PATIENCE, [], 'run');
        await em.execute(`create table ?? partition of "posting" for values from (?) to (?)`, [name, from, to], 'run');
      });
    } catch (error) {
      this.logger.warn('a month of the journal has no partition yet', { partition: name, error });
    }
  }

  /** Queries the catalogue, because `to_regclass` may return a state from before the lock. */
  private async exists(name: string): Promise<boolean> {
    const rows = await this.em.execute<object[]>(
      `select 1 from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'posting'::regclass and c.relname = ?`,
      [name],
    );
    return rows.length > 0;
  }
}
