import { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import { requestConsumed } from '@tollgate/contracts';
import { type Env, EventLog, Host, Lifecycle, Logger, Metrics, type Offsets, periodically } from '@tollgate/chassis';
import { asLeader, CombinedReads, Leader } from '@tollgate/database';
import type { Counter, Gauge } from 'prom-client';
import { LeaseAudit } from './lease.audit.js';
import type { LogEnds } from './lease.entity.js';
import { LeaseQueries } from './lease.queries.js';
import { RecallBoard } from './recall-board.js';

/** The consumer group that books consumption. */
const BOOKING_GROUP = 'billing';
const TOPIC = requestConsumed.name;

const CHECK_MS = 2000;
/** Without anything to do the reaper runs this often, to record that billing is up. */
const RUN_MS = 4000;
const EXPIRY_SECONDS = 60;
/**
 * A gap between two runs that is longer than this means that billing itself was down, so that no replica could report.
 */
const PAUSE_SECONDS = 10;
/** Seconds after expiry from which a spool that no relay has adopted counts as lost. */
const LOST_SECONDS = 120;
const AUDIT_MS = 30_000;
const KEEP_DAYS = 7;
const FORGET_MS = 3_600_000;

/**
 * Runs to expire: silent ones with an outstanding lease, and those known to have ended. A silent run without
 * outstanding quota may come back at any time.
 */
const OVERDUE = `r."expired_at" is null and (r."recovered_at" is not null or (
  r."synced_at" < clock_timestamp() - interval '${EXPIRY_SECONDS} seconds' and exists (
    select 1 from "lease" l where l."replica_epoch" = r."epoch" and l."granted" - l."returned" - l."booked" > 0)))`;

/** Epochs that have expired and whose spool has been adopted or counts as lost. */
const releasable = (isStrict: boolean): string => `r."expired_at" is not null and r."released_at" is null
  and (r."recovered_at" is not null or (not ${isStrict} and r."expired_at" < clock_timestamp() - interval '${LOST_SECONDS} seconds'))`;

/** What there is to do, as SQL expressions. */
const IS_OVERDUE = `exists (select 1 from "replica" r where ${OVERDUE})`;
const isReleasable = (isStrict: boolean): string => `exists (select 1 from "replica" r where ${releasable(isStrict)})`;

/**
 * Records this run of the reaper, credits replicas with the time in which no reaper ran, and returns what there is to
 * do. A single statement, because there is nearly always nothing to do. The result describes the state before the
 * statement, so `expire` and `releaseExpired` check each epoch again.
 */
const startRun = (isStrict: boolean): string => `with "last" as materialized (
    select extract(epoch from clock_timestamp() - "ran_at")::float8 as "gap" from "reaper_run" where "id" = 1 for update
  ), "forgiven" as (
    update "replica" set "synced_at" = "synced_at" + "last"."gap" * interval '1 second' from "last"
    where "expired_at" is null and "last"."gap" > ${PAUSE_SECONDS}
  ) insert into "reaper_run" ("id", "ran_at") select 1, clock_timestamp() from (select count(*) from "last") as "locked"
  on conflict ("id") do update set "ran_at" = excluded."ran_at"
  returning ${IS_OVERDUE} as "isOverdue", ${isReleasable(isStrict)} as "isReleasable"`;

/**
 * Ends the leases of replicas that fell silent. A replica stops using its leases 20 s after its last heartbeat, and
 * expires here after 60 s of the database's clock. Its quota is released only when booking has passed the ends that the
 * event log had at expiry, or when its records were sent if that was later, and when they were sent or count as lost. So
 * nothing that it served is lent a second time before it is booked.
 */
@Injectable()
export class LeaseReaper {
  private readonly faults: Gauge;
  private readonly overdrawn: Gauge;
  private readonly unrecovered: Gauge;
  private readonly released: Counter;
  private readonly rounds: LeaseAudit;
  private ranAt = -Infinity;
  private forgotAt = -Infinity;
  /** In strict mode the quota of a spool that no relay has adopted is never released. */
  private readonly isStrict: boolean;

  constructor(
    private readonly em: EntityManager,
    private readonly queries: LeaseQueries,
    private readonly recalls: RecallBoard,
    private readonly eventLog: EventLog,
    private readonly logger: Logger,
    private readonly reads: CombinedReads,
    leader: Leader,
    lifecycle: Lifecycle,
    metrics: Metrics,
    @Inject(Host) host: { env: Pick<Env, 'TOLLGATE_OVERDRAFT'> },
  ) {
    this.rounds = new LeaseAudit(em);
    this.isStrict = host.env.TOLLGATE_OVERDRAFT === 'never';
    this.faults = metrics.led(
      'tollgate_billing_held_faults',
      'Funds whose held quota is not the sum of their outstanding leases.',
      leader,
    );
    this.overdrawn = metrics.led(
      'tollgate_billing_overdrawn_units',
      'What wallets are below zero, all together: how far the overdraft bound is used up.',
      leader,
    );
    this.unrecovered = metrics.led(
      'tollgate_billing_unrecovered_units',
      'Quota lent to replicas that fell silent and whose spools nobody has sent: at most so much can still be booked late.',
      leader,
    );
    this.released = metrics.counter(
      'tollgate_billing_replicas_released_total',
      'Runs of relay replicas whose leases were released after expiry.',
    );
    // A new leader starts at the first fund.
    const restart = (): void => this.rounds.restart();
    periodically(
      { lifecycle, logger },
      'lease reaper',
      CHECK_MS,
      asLeader(leader, em, () => this.runIfNeeded(), restart),
    );
    periodically(
      { lifecycle, logger },
      'lease audit',
      AUDIT_MS,
      asLeader(leader, em, () => this.audit(), restart),
    );
  }

  /**
   * Most checks find nothing, so they only read. A run alone decides what is overdue, because it first credits replicas
   * with the time in which billing was down.
   */
  private async runIfNeeded(): Promise<void> {
    const isDue = performance.now() - this.ranAt >= RUN_MS - CHECK_MS / 2;
    if (isDue || (await this.reads.read<boolean>(`${IS_OVERDUE} or ${isReleasable(this.isStrict)}`))) await this.run();
  }

  async run(): Promise<void> {
    this.ranAt = performance.now();
    const [found] = await this.em.execute<{ isOverdue: boolean; isReleasable: boolean }[]>(startRun(this.isStrict));
    if (found?.isOverdue) await this.expire();
    if (found?.isOverdue || found?.isReleasable) await this.releaseExpired();
  }

  /**
   * Checks a part of the funds, each in turn over several runs, sets the metrics, and deletes rows that are no longer
   * needed.
   */
  async audit(): Promise<void> {
    const { faults, first, overdrawn } = await this.rounds.checkNext();
    this.faults.set(faults);
    this.overdrawn.set(overdrawn);
    if (faults > 0) this.logger.error('held quota is not the sum of outstanding leases', { count: faults, first });
    this.unrecovered.set(await this.unrecoveredUnits());
    await this.recalls.sweep();
    await this.forget();
  }

  /** Units that may still be booked from missing spools. */
  private async unrecoveredUnits(): Promise<number> {
    const [row] = await this.em.execute<{ units: string }[]>(
      `select coalesce(sum(greatest(0, l."granted" - l."returned" - l."booked")), 0) as "units" from "replica" r
       join "lease" l on l."replica_epoch" = r."epoch"
       where l."kind" = 'wallet' and r."expired_at" is not null and r."recovered_at" is null and r."released_at" is null`,
    );
    return Number(row?.units ?? 0);
  }

  /** Deletes ended leases after a week; runs once an hour. */
  private async forget(): Promise<void> {
    const now = performance.now();
    if (now - this.forgotAt < FORGET_MS) return;
    this.forgotAt = now;
    await this.em.execute(
      `delete from "lease" l using "replica" r where r."epoch" = l."replica_epoch" and l."granted" - l."returned" - l."booked" <= 0
         and coalesce(r."released_at", r."synced_at") < now() - ? * interval '1 day'`,
      [KEEP_DAYS],
      'run',
    );
  }

  private async expire(): Promise<void> {
    const found = await this.em.execute<{ epoch: string; recoveredAt: string | null }[]>(
      `select r."epoch", r."recovered_at"::text as "recoveredAt" from "replica" r where ${OVERDUE}`,
    );
    if (found.length === 0) return;
    // Read after the replicas stopped spending, so everything they sent lies before these ends. What a spool sent while
    // they were read may not: a run that was recovered meanwhile is left to the next turn.
    const ends = await this.logEnds();
    await this.em.execute(
      `update "replica" r set "expired_at" = clock_timestamp(), "log_ends" = ?::jsonb
       from json_to_recordset(?::json) as found("epoch" text, "recoveredAt" text)
       where ${OVERDUE} and r."epoch" = found."epoch" and r."recovered_at"::text is not distinct from found."recoveredAt"`,
      [JSON.stringify(ends), JSON.stringify(found)],
      'run',
    );
  }

  private async releaseExpired(): Promise<void> {
    const candidates = await this.em.execute<{ epoch: string; log_ends: LogEnds | null }[]>(
      `select r."epoch", r."log_ends" from "replica" r where ${releasable(this.isStrict)} order by r."epoch"`,
    );
    if (candidates.length === 0) return;
    const now = await this.logEnds();
    const moved = candidates.filter(({ log_ends: noted }) => isMoved(noted, now)).map(({ epoch }) => epoch);
    if (moved.length > 0) await this.noteEndsAgain(moved, now);
    const committed = (await this.eventLog.committed(BOOKING_GROUP, [TOPIC]))[TOPIC] ?? {};
    for (const { epoch, log_ends: noted } of candidates)
      if (noted && !isMoved(noted, now) && hasPassed(noted.ends, committed)) await this.release(epoch);
  }

  /**
   * Notes the ends anew for runs whose spools were sent after they expired, and after the event log was replaced. If it
   * was moved to another log, unread events came along and lie before the new ends. If its topic was recreated, unread
   * events are sent again from spools; those runs then wait as long as for a missing spool.
   */
  private async noteEndsAgain(epochs: readonly string[], now: LogEnds): Promise<void> {
    await this.em.execute(
      `update "replica" set "log_ends" = ?::jsonb,
         "expired_at" = case when "log_ends"->>'log' = ? then clock_timestamp() else "expired_at" end,
         "recovered_at" = case when "log_ends"->>'log' = ? then null else "recovered_at" end
       where "epoch" in (select value from json_array_elements_text(?::json))`,
      [JSON.stringify(now), now.log, now.log, JSON.stringify(epochs)],
      'run',
    );
  }

  private async logEnds(): Promise<LogEnds> {
    const offsets = await this.eventLog.ends([TOPIC]);
    return { log: await this.eventLog.identity(), ends: endsToText(offsets) };
  }

  private async release(epoch: string): Promise<void> {
    await this.em.transactional(async () => {
      const rows = await this.em.execute<object[]>(
        `update "replica" set "released_at" = clock_timestamp() where "epoch" = ? and "released_at" is null returning "epoch"`,
        [epoch],
      );
      if (rows.length === 0) return;
      const accounts = await this.queries.withOutstanding(epoch);
      const book = await this.queries.open(accounts, epoch);
      for (const account of accounts) book.release(account);
      await this.queries.store(book, epoch);
      this.released.inc();
      this.logger.warn('leases of a silent replica released', { epoch, accounts: accounts.length });
    });
  }
}

const endsToText = (ends: Offsets): Record<string, string> =>
  Object.fromEntries(Object.entries(ends[TOPIC] ?? {}).map(([partition, offset]) => [partition, String(offset)]));

/** Whether the noted ends are useless: none, offsets of another log, or beyond the end of this one. */
const isMoved = (noted: LogEnds | null, now: LogEnds): boolean =>
  noted?.log !== now.log ||
  Object.entries(noted.ends).some(([partition, end]) => BigInt(end) > BigInt(now.ends[partition] ?? 0));

/** Whether every partition was booked up to the noted end. */
export const hasPassed = (
  ends: Readonly<Record<string, string>>,
  committed: Readonly<Record<number, bigint>>,
): boolean => Object.entries(ends).every(([partition, end]) => (committed[Number(partition)] ?? 0n) >= BigInt(end));
