import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { Clock, leastIdAt, Lifecycle, Logger, periodically } from '@tollgate/chassis';
import { asLeader, bound, Leader } from '@tollgate/database';

const DAY_MS = 86_400_000;
/** Longer than the retention of the event log, so that every event that may be delivered again is remembered. */
const REMEMBERED_DAYS = 8;
const PRUNE_EVERY_MS = 3_600_000;
const PRUNE_CHUNK = 20_000;

/** Which requests have been counted. Requests too old to be remembered are taken as counted. */
@Injectable()
export class CountedRequests {
  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
    leader: Leader,
    lifecycle: Lifecycle,
    logger: Logger,
  ) {
    periodically(
      { lifecycle, logger },
      'pruning of counted requests',
      PRUNE_EVERY_MS,
      asLeader(leader, em, () => this.prune()),
    );
  }

  /** Stores the ids in the caller's transaction and returns those that are new. */
  async admit(em: EntityManager, ids: readonly string[]): Promise<Set<string>> {
    const oldest = this.oldest();
    // Sorted, so that two batches with the same events wait for each other instead of running into a deadlock.
    const recent = ids.filter((id) => id >= oldest).sort();
    if (recent.length === 0) return new Set();
    const rows = await bound<{ event_id: string }>(
      em,
      'insert into "counted_request" ("event_id") select unnest($1::uuid[]) on conflict do nothing returning "event_id"',
      [recent],
    );
    return new Set(rows.map((row) => row.event_id));
  }

  async prune(): Promise<void> {
    let count = PRUNE_CHUNK;
    while (count === PRUNE_CHUNK) {
      const rows = await this.em.execute<unknown[]>(
        `delete from "counted_request" where "event_id" in (
           select "event_id" from "counted_request" where "event_id" < ?::uuid order by "event_id" limit ${PRUNE_CHUNK}
         ) returning 1`,
        [this.oldest()],
      );
      count = rows.length;
    }
  }

  private oldest(): string {
    return leastIdAt(this.clock.now() - REMEMBERED_DAYS * DAY_MS);
  }
}
