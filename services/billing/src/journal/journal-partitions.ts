import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Clock, Lifecycle, Logger, periodically } from '@tollgate/chassis';
import { monthPartition } from './month-partition.js';

const MONTHS_AHEAD = 2;
const LOOK_MS = 60 * 60 * 1000;
/**
 * A new month needs the whole table to itself. Whoever reads it for minutes, as an export does, would keep it waiting, and everybody who books
 * behind it; it gives up after this, and comes again long before its month.
 */
const PATIENCE = `set local lock_timeout = '3s'`;
const ONE_AT_A_TIME = `select pg_advisory_xact_lock(hashtextextended('tollgate:journal-partitions', 0))`;

/**
 * Keeps a partition of the journal for this month and the next ones. A row that finds none goes to the default partition and is as
 * good as any other; a month that has such rows already stays there. What fails is tried again an hour later.
 */
@Injectable()
export class JournalPartitions {
  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
    private readonly logger: Logger,
    lifecycle: Lifecycle,
  ) {
    // Before the first event is booked, so that this month does not begin in the default partition.
    lifecycle.onReady(() => this.ensure());
    periodically({ lifecycle, logger }, 'journal partitions', LOOK_MS, () => this.ensure());
  }

  async ensure(): Promise<void> {
    const now = new Date(this.clock.now());
    for (let offset = 0; offset <= MONTHS_AHEAD; offset += 1) await this.create(monthPartition(now, offset));
  }

  private async create({ name, from, to }: ReturnType<typeof monthPartition>): Promise<void> {
    if (await this.exists(name)) return;
    try {
      await this.em.transactional(async (em) => {
        // Replicas that start together want the same months, and "if not exists" does not keep two creators apart.
        await em.execute(ONE_AT_A_TIME, [], 'run');
        if (await this.exists(name)) return;
        await em.execute(PATIENCE, [], 'run');
        await em.execute(`create table ?? partition of "posting" for values from (?) to (?)`, [name, from, to], 'run');
      });
    } catch (error) {
      this.logger.warn('a month of the journal has no partition yet', { partition: name, error });
    }
  }

  /** From the catalogue itself: what `to_regclass` remembers may be older than the lock. */
  private async exists(name: string): Promise<boolean> {
    const rows = await this.em.execute<object[]>(
      `select 1 from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'posting'::regclass and c.relname = ?`,
      [name],
    );
    return rows.length > 0;
  }
}
