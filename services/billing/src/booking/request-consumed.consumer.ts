import { Controller } from '@nestjs/common';
import { broadcasts, type EventBatch, requestConsumed } from '@tollgate/contracts';
import { Announcer, KeyValue, Logger, Metrics } from '@tollgate/chassis';
import { OnEvent } from '@tollgate/database';
import type { Counter } from 'prom-client';
import { LowBalanceWatch } from '../account/low-balance-watch.js';
import { BookingService } from './booking.service.js';
import { RatingCheck } from './rating-check.js';

@Controller()
export class RequestConsumedConsumer {
  private readonly events: Counter<'result'>;
  private readonly announcer: Announcer;

  constructor(
    private readonly booking: BookingService,
    private readonly lowBalance: LowBalanceWatch,
    private readonly ratings: RatingCheck,
    private readonly logger: Logger,
    keyValue: KeyValue,
    metrics: Metrics,
  ) {
    this.announcer = new Announcer(broadcasts.balanceBooked, keyValue, logger);
    this.events = metrics.counter(
      'tollgate_billing_consumption_events_total',
      'Consumption events by what became of them.',
      ['result'],
    );
  }

  @OnEvent(requestConsumed)
  async book(batch: EventBatch<typeof requestConsumed>): Promise<void> {
    const { fresh, balances } = await this.booking.book(batch);
    this.events.inc({ result: 'booked' }, fresh.length);
    this.events.inc({ result: 'duplicate' }, batch.length - fresh.length);
    this.announcer.announce(balances.map(({ userId }) => userId));
    const charged = new Set(fresh.filter(({ data }) => data.quota > 0).map(({ data }) => data.userId));
    this.lowBalance.noteBalances(balances.filter(({ userId }) => charged.has(userId)));
    // The batch is booked; a check that fails must not cause its redelivery.
    await this.ratings
      .check(fresh)
      .catch((error: unknown) => this.logger.error('the rating check could not run', { error }));
  }
}
