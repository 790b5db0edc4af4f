import { EntityManager, RequestContext } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Host, Lifecycle, Logger, Metrics, periodically } from '@tollgate/chassis';
import { Leader } from '@tollgate/database';
import { ClickhouseLogStore } from './clickhouse-log-store.js';
import { LogStore } from './log-store.js';

const MOVE_MS = 1_000;
const TIDY_MS = 30_000;
const FORGET_MS = 600_000;
const FORGOTTEN_AT_ONCE = 10_000;
/** The minimum time that keys are kept; otherwise twice the retention of events. */
const KEPT_HOURS = 30 * 24;

/** Background jobs that are needed when the log is in ClickHouse; without it nothing runs. */
@Injectable()
export class ClickhouseDuties {
  constructor(
    private readonly em: EntityManager,
    private readonly leader: Leader,
    private readonly host: Host,
    store: LogStore,
    lifecycle: Lifecycle,
    logger: Logger,
    metrics: Metrics,
  ) {
    if (!(store instanceof ClickhouseLogStore)) return;
    this.measure(metrics);
    const duty = (name: string, everyMs: number, task: () => Promise<void>): void =>
      void periodically({ lifecycle, logger }, name, everyMs, () => RequestContext.create(em, task));
    // Moves rows of transactions whose process died before it moved them, and rows changed by erasures.
    duty('moving rows of the log to ClickHouse', MOVE_MS, () => store.settle());
    duty('removal of cleared and renamed rows from ClickHouse', TIDY_MS, () => this.ifLeader(() => store.tidy()));
    duty('forgetting of keys of the log', FORGET_MS, () => this.ifLeader(() => this.forgetKeys()));
  }

  /** Every replica reports the same value. */
  private measure(metrics: Metrics): void {
    const help = 'Rows of the usage log that are committed and not in ClickHouse yet.';
    metrics.measured('tollgate_log_rows_waiting', help, [], async () => [
      { labels: {}, value: (await this.waiting()).rows },
    ]);
    metrics.measured('tollgate_log_rows_oldest_age_seconds', 'Age of the one that waits longest.', [], async () => [
      { labels: {}, value: (await this.waiting()).age },
    ]);
  }

  private async waiting(): Promise<{ rows: number; age: number }> {
    const [row] = await this.em
      .fork()
      .execute<{ rows: string; age: string | null }[]>(
        `select count(*) as "rows", extract(epoch from now() - min("noted_at")) as "age" from "log_pending"`,
      );
    return { rows: Number(row?.rows ?? 0), age: Math.max(0, Number(row?.age ?? 0)) };
  }

  private async ifLeader(work: () => Promise<void>): Promise<void> {
    if (this.leader.isLeader) await work();
  }

  /** Deletes the keys of events that cannot be delivered again. */
  async forgetKeys(): Promise<void> {
    const hours = Math.max(KEPT_HOURS, 2 * this.host.env.TOLLGATE_TOPIC_RETENTION_HOURS);
    const forget = `with gone as (delete from "log_key" where "event_id" in (select "event_id" from "log_key"
        where "noted_at" < now() - make_interval(hours => ?) limit ${FORGOTTEN_AT_ONCE}) returning 1)
      select count(*)::int as "gone" from gone`;
    for (;;) {
      const [row] = await this.em.execute<{ gone: number }[]>(forget, [hours]);
      if ((row?.gone ?? 0) < FORGOTTEN_AT_ONCE) return;
    }
  }
}
