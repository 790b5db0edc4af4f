import { Injectable } from '@nestjs/common';
import { RequestContext } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { AppError, Clock, Host, Lifecycle, Logger, OptionStore, periodically } from '@tollgate/chassis';
import { Leader } from '@tollgate/database';
import { ChannelTestRun } from '../channel-test/channel-test-run.js';
import { BalanceService } from '../upstream/balance.service.js';
import { frequencyOf, nextRunAt } from './plan.js';

const CHECK_EVERY_MS = 5000;
const MINUTE_MS = 60_000;
/** A run whose process died is begun again after this time. */
const AGAIN_MS = 5 * MINUTE_MS;

interface Job {
  name: 'test' | 'balance';
  /** 0 = never. */
  minutes(): number;
  /** Calls `done` when the run came to its end, which may be after the call has returned. */
  run(done: () => Promise<void>): Promise<void>;
}

/**
 * Tests all channels and fetches all balances at regular times. The time of the next run is stored in a row, so that it
 * survives restarts and that only one of two processes which both believe to be the leader begins a run. A run that was
 * missed while no process was running takes place once.
 */
@Injectable()
export class ChannelSchedule {
  private readonly jobs: readonly Job[];

  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
    tests: ChannelTestRun,
    balances: BalanceService,
    options: OptionStore,
    host: Host,
    leader: Leader,
    lifecycle: Lifecycle,
    logger: Logger,
  ) {
    const { CHANNEL_TEST_FREQUENCY, CHANNEL_UPDATE_FREQUENCY } = host.env;
    this.jobs = [
      {
        name: 'test',
        minutes: () => frequencyOf(options.get('ChannelTestFrequency'), CHANNEL_TEST_FREQUENCY),
        run: (done) => unlessRunning(tests.start(done)),
      },
      {
        name: 'balance',
        minutes: () => frequencyOf(options.get('ChannelUpdateFrequency'), CHANNEL_UPDATE_FREQUENCY),
        run: (done) => unlessRunning(balances.refreshAll({ done })),
      },
    ];
    for (const job of this.jobs)
      periodically({ lifecycle, logger }, `the schedule of "${job.name}"`, CHECK_EVERY_MS, async () => {
        if (leader.isLeader) await this.runIfDue(job.name);
      });
  }

  /** Runs the job if it is due, and creates its plan if it has none. Returns whether it ran. */
  async runIfDue(name: Job['name']): Promise<boolean> {
    const job = this.jobs.find((one) => one.name === name);
    const minutes = job?.minutes() ?? 0;
    return RequestContext.create(this.em, async () => {
      if (!job || minutes === 0) return false;
      const next = await this.claim(name, minutes);
      if (!next) return false;
      await job.run(() => this.plan(name, minutes, next));
      return true;
    });
  }

  /**
   * The time of the next run if one is due now and this process has claimed it. Until the run has come to its end, the
   * plan says that it is begun again soon. A changed interval creates a new plan.
   */
  private async claim(name: string, minutes: number): Promise<Date | undefined> {
    const now = this.clock.now();
    const next = new Date(nextRunAt(now, minutes, Math.random));
    const again = new Date(Math.min(next.getTime(), now + AGAIN_MS));
    // A plan further away was made by a clock that was ahead.
    const latest = new Date(now + 2 * minutes * MINUTE_MS);
    const due = await this.em.execute<unknown[]>(
      `update "scheduled_run" set "next_at" = ? where "name" = ? and "minutes" = ? and ("next_at" <= ? or "next_at" > ?) returning 1`,
      [again, name, minutes, new Date(now), latest],
    );
    if (due.length > 0) return next;
    await this.em.execute(
      `insert into "scheduled_run" as s ("name", "minutes", "next_at") values (?, ?, ?)
       on conflict ("name") do update set "minutes" = excluded."minutes", "next_at" = excluded."next_at"
       where s."minutes" <> excluded."minutes"`,
      [name, minutes, next],
    );
    return undefined;
  }

  private async plan(name: string, minutes: number, next: Date): Promise<void> {
    const plan = 'update "scheduled_run" set "next_at" = ? where "name" = ? and "minutes" = ?';
    await this.em.execute(plan, [next, name, minutes], 'run');
  }
}

const RUNNING: ReadonlySet<string> = new Set(['channel-test-running', 'balances-running']);

/** Ignores the error when a run is in progress. The plan is looked at again soon, because that run may be one that dies. */
async function unlessRunning(start: Promise<void>): Promise<void> {
  await start.catch((error: unknown) => {
    if (!(error instanceof AppError && RUNNING.has(error.code))) throw error;
  });
}
