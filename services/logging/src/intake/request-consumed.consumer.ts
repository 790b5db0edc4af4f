import { Controller } from '@nestjs/common';
import { type EventBatch, requestConsumed } from '@tollgate/contracts';
import { Metrics, OptionStore } from '@tollgate/chassis';
import { firstOfEach, OnEvent } from '@tollgate/database';
import type { Counter } from 'prom-client';
import { Rollup } from '../stat/rollup.js';
import { LogWriter } from '../store/log-writer.js';
import { PriceVersions } from '../log/price-versions.js';
import { toRequestDraft } from '../log/request-row.js';
import { UsageAnnouncer } from '../log/usage-announcer.js';

/** Writes a log row for each request, and adds exactly the rows that were written to the hourly sums. */
@Controller()
export class RequestConsumedConsumer {
  private readonly rows: Counter<'result'>;

  constructor(
    private readonly writer: LogWriter,
    private readonly prices: PriceVersions,
    private readonly rollup: Rollup,
    private readonly options: OptionStore,
    private readonly announcer: UsageAnnouncer,
    metrics: Metrics,
  ) {
    this.rows = metrics.counter(
      'tollgate_logging_request_events_total',
      'Requests by what became of them in the log.',
      ['result'],
    );
  }

  @OnEvent(requestConsumed)
  async log(batch: EventBatch<typeof requestConsumed>): Promise<void> {
    const isLogging = this.options.get('LogConsumeEnabled');
    const isCounting = isLogging && this.options.get('DataExportEnabled');
    const events = firstOfEach(batch);
    const wanted = [...events.values()].filter(({ data }) => isLogging || data.outcome === 'failed');
    const prices = await this.prices.find(wanted.map(({ data }) => data.priceVersion));
    const drafts = wanted.map((event) => toRequestDraft(event, prices.get(event.data.priceVersion)));
    const names = await this.writer.resolveNames(drafts);
    const written = await this.writer.transactional(async (em) => {
      const fresh = await this.writer.write(em, drafts, names);
      await this.rollup.add(
        em,
        fresh.map((draft) => ({ draft, data: events.get(draft.eventId.toLowerCase())!.data })),
        isCounting,
      );
      return fresh;
    });
    this.announcer.announce(written);
    this.rows.inc({ result: 'written' }, written.length);
    this.rows.inc({ result: 'duplicate' }, drafts.length - written.length);
    this.rows.inc({ result: 'switched-off' }, events.size - drafts.length);
  }
}
