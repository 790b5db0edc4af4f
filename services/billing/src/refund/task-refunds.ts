import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { taskRefunded, tokenChanged } from '@tollgate/contracts';
import { Lifecycle, Logger, Metrics, periodically } from '@tollgate/chassis';
import { asLeader, bound, CombinedReads, Leader, Outbox } from '@tollgate/database';
import { QuotaTexts } from '../account/quota-texts.js';
import { bookedByNow } from '../correction/booked-now.js';
import { House, JournalService, walletOf } from '../journal/journal.service.js';
import { ChangeRevisions } from '../revision/change-revisions.js';
import { rowset } from '../units.js';
import type { FailedTask } from './task-refund.entity.js';

const CHECK_EVERY_MS = 2000;
const COUNT_EVERY_MS = 30_000;
const BATCH = 100;
/** The pause doubles after each failed attempt, up to an hour. */
const REST = `least(interval '1 hour', interval '2 seconds' * power(2, least("failures", 11)))`;
/**
 * A task that was not charged by then never will be, since no spool is recovered so late. Refunds that were attempted
 * and failed are retried without this limit.
 */
const GIVEN_UP_AFTER = '90 days';

const FROM_DUE = `from "task_refund" r join "posting" p on p."id" = r."request_id" and p."code" = 'consumption'
  where r."done_at" is null and (r."failures" > 0 or r."created_at" > now() - interval '${GIVEN_UP_AFTER}')
    and (r."retry_at" is null or r."retry_at" <= now())`;

interface Due {
  requestId: string;
  task: FailedTask;
}

/**
 * Refunds failed tasks: exactly the amount that their requests cost in the journal, corrections included, once. The
 * failure may be known before the request is booked, so the refund is stored and waits until then.
 */
@Injectable()
export class TaskRefunds {
  private readonly wake: () => void;
  private readonly failing;
  private readonly givenUp;

  constructor(
    private readonly em: EntityManager,
    private readonly journal: JournalService,
    private readonly outbox: Outbox,
    private readonly texts: QuotaTexts,
    private readonly revisions: ChangeRevisions,
    reads: CombinedReads,
    leader: Leader,
    lifecycle: Lifecycle,
    private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.failing = metrics.led(
      'tollgate_billing_refunds_failing',
      'Refunds of failed tasks that were tried and failed, and are tried again.',
      leader,
    );
    this.givenUp = metrics.led(
      'tollgate_billing_refunds_given_up',
      'Failed tasks that were charged so late that their refund is not tried.',
      leader,
    );
    this.wake = periodically(
      { lifecycle, logger },
      'giving back what failed tasks cost',
      CHECK_EVERY_MS,
      asLeader(leader, em, async () => {
        if (await reads.read<boolean>(`exists (select 1 ${FROM_DUE})`)) await this.payDue();
      }),
    );
    periodically(
      { lifecycle, logger },
      'counting refunds that fail',
      COUNT_EVERY_MS,
      asLeader(leader, em, () => this.count()),
    );
  }

  /** Stores refunds to be paid; a repetition has no effect. */
  async want(tasks: readonly FailedTask[]): Promise<void> {
    if (tasks.length === 0) return;
    await this.em.execute(
      `insert into "task_refund" ("request_id", "task")
       select e."request_id", e."task" from json_to_recordset(?::json) as e("request_id" uuid, "task" jsonb)
       on conflict ("request_id") do nothing`,
      [rowset(tasks.map((task) => ({ request_id: task.requestId, task })))],
      'run',
    );
    this.wake();
  }

  /** Pays all due refunds whose requests are booked. */
  async payDue(): Promise<void> {
    for (const due of await this.due()) {
      try {
        await this.pay(due);
      } catch (error) {
        // A failing refund must not block the others; it is retried, after a longer pause each time.
        this.logger.error('a failed task could not be refunded', { requestId: due.requestId, error });
        await this.putOff(due.requestId);
      }
    }
  }

  /** Sets the metrics. */
  async count(): Promise<void> {
    const [row] = await this.em.execute<{ failing: string; given_up: string }[]>(
      `select count(*) filter (where r."failures" > 0) as "failing",
         count(*) filter (where r."failures" = 0 and p."amount" > 0) as "given_up" from "task_refund" r
       left join "posting" p on p."id" = r."request_id" and p."code" = 'consumption' and r."failures" = 0
       where r."done_at" is null and (r."failures" > 0 or r."created_at" <= now() - interval '${GIVEN_UP_AFTER}')`,
    );
    this.failing.set(Number(row?.failing ?? 0));
    this.givenUp.set(Number(row?.given_up ?? 0));
  }

  private async putOff(requestId: string): Promise<void> {
    await this.em.execute(
      `update "task_refund" set "failures" = "failures" + 1, "retry_at" = now() + ${REST} where "request_id" = ? and "done_at" is null`,
      [requestId],
      'run',
    );
  }

  private async due(): Promise<Due[]> {
    const rows = await this.em.execute<{ request_id: string; task: FailedTask }[]>(
      `select r."request_id", r."task" ${FROM_DUE}
       order by coalesce(r."retry_at", r."created_at") limit ?`,
      [BATCH],
    );
    return rows.map((row) => ({ requestId: row.request_id, task: row.task }));
  }

  private async pay({ requestId, task }: Due): Promise<void> {
    const { userId, tokenId } = task;
    await this.em.transactional(async () => {
      const [open] = await this.em.execute<object[]>(
        `update "task_refund" set "done_at" = now() where "request_id" = ? and "done_at" is null returning "request_id"`,
        [requestId],
      );
      if (!open) return;
      await this.em.execute(`select 1 from "account" where "user_id" = ? for update`, [userId]);
      // Read under the lock of the wallet, under which corrections are posted too.
      const booked = await bookedByNow((text, values = []) => bound(this.em, text, values), [requestId]);
      const amount = booked.get(requestId)?.charged ?? 0;
      if (amount === 0) return;
      const legs = { debit: House.revenue, credit: walletOf(userId) };
      // The upstream's reason stays in the task and is not copied here, because it may repeat a prompt, and the journal
      // cannot be erased.
      const movement = { code: 'task-refund', reference: requestId, amount, userId, tokenId, ...legs } as const;
      const posted = await this.journal.post(movement);
      if (posted === undefined) return;
      await this.em.execute(`update "account" set "spent" = "spent" - ? where "user_id" = ?`, [amount, userId], 'run');
      if (tokenId > 0) await this.giveToToken(task, amount);
      const quotaText = this.texts.logText(amount);
      await this.outbox.add(taskRefunded, { ...factsOf(task), quota: amount, quotaText }, posted);
    });
  }

  /**
   * Returns the amount to the token's budget. A token that was used up may be used again. As in every change of a token,
   * its row is locked before that of the revision.
   */
  private async giveToToken({ tokenId, userId }: FailedTask, amount: number): Promise<void> {
    const rows = await this.em.execute<object[]>(
      `update "token" set "spent" = "spent" - ? where "id" = ? returning "id"`,
      [amount, tokenId],
    );
    if (rows.length === 0) return;
    const revision = await this.revisions.next('token');
    await this.em.execute(`update "token" set "revision" = ? where "id" = ?`, [revision, tokenId], 'run');
    await this.outbox.add(tokenChanged, { userId, tokenId, revision });
  }
}

const factsOf = (task: FailedTask): Omit<FailedTask, 'status' | 'progress' | 'isOver'> => {
  const { taskId, requestId, userId, tokenId, channelId, platform, action, upstreamId, failReason } = task;
  return { taskId, requestId, userId, tokenId, channelId, platform, action, upstreamId, failReason };
};
