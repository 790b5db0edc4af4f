import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Clock, Metrics } from '@tollgate/chassis';

const WAYS = ['mail', 'webhook'] as const;
/** Outcomes of an attempt: sent, to be retried, given up. */
const OUTCOMES = ['sent', 'later', 'failed'] as const;
export type DeliveryWay = (typeof WAYS)[number];
export type DeliveryOutcome = (typeof OUTCOMES)[number];

/** Metrics on whether mails and webhooks are sent, and whether any replica works on the queue. */
@Injectable()
export class DeliveryMetrics {
  private readonly attempts;

  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.attempts = metrics.counter(
      'tollgate_identity_deliveries_total',
      'Attempts to deliver mails and webhooks: sent, later (to be tried again) or failed for good.',
      ['via', 'outcome'],
    );
    // Counters start at 0, or the first failure would not show as an increase.
    for (const via of WAYS) for (const outcome of OUTCOMES) this.attempts.inc({ via, outcome }, 0);
    metrics.measured(
      'tollgate_identity_deliveries_overdue_seconds',
      'For how long the mail or webhook that waits longest past its time should have been tried.',
      [],
      async () => [{ labels: {}, value: await this.overdue() }],
    );
  }

  count(via: DeliveryWay, outcome: DeliveryOutcome): void {
    this.attempts.inc({ via, outcome });
  }

  private async overdue(): Promise<number> {
    const [row] = await this.em
      .fork()
      .execute<{ first: Date | null }[]>(
        `select min("next_attempt_at") as "first" from "delivery" where "status" = 'waiting'`,
      );
    return row?.first ? Math.max(0, (this.clock.now() - new Date(row.first).getTime()) / 1000) : 0;
  }
}
