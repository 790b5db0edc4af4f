import { Injectable } from '@nestjs/common';
import type { PriceDocument } from '@tollgate/contracts';
import { Logger, Metrics } from '@tollgate/chassis';
import { rate } from '@tollgate/pricing';
import type { Counter } from 'prom-client';
import { appliedPrice } from './applied-prices.js';
import { PriceService } from '../pricing/price.service.js';
import type { Consumption } from './booking-sums.js';

const FAULTS = ['unknown-version', 'quota'] as const;
export type RatingFault = (typeof FAULTS)[number];

/** Units that an event costs under these prices; undefined where they say nothing of it, Infinity where it is more than can be counted. */
export function ratedQuota({ data }: Consumption, document: PriceDocument | undefined): number | undefined {
  // A request that reached nobody has no usage to rate; it may only cost nothing.
  if (data.outcome === 'failed') return 0;
  const price = appliedPrice(data, document);
  try {
    return price && rate(data.usage, price);
  } catch (error) {
    // One event whose usage was altered must not hide what is wrong with all others.
    if (error instanceof RangeError) return Infinity;
    throw error;
  }
}

/** What is wrong with an event's charge under the version it names; undefined when it can be reproduced to the unit. */
export function ratingFault(event: Consumption, document: PriceDocument | undefined): RatingFault | undefined {
  const rated = ratedQuota(event, document);
  if (rated === undefined) return 'unknown-version';
  return rated === event.data.quota ? undefined : 'quota';
}

/** Re-rates what was booked. A difference changes nothing that was booked; it is counted and logged so that somebody looks. */
@Injectable()
export class RatingCheck {
  private readonly faults: Counter<'fault'>;

  constructor(
    private readonly prices: PriceService,
    private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.faults = metrics.counter(
      'tollgate_billing_rating_faults_total',
      'Booked events whose charge the price version does not reproduce.',
      ['fault'],
    );
    // From nought on, or the first fault of each kind would be no increase.
    for (const fault of FAULTS) this.faults.inc({ fault }, 0);
  }

  async check(events: readonly Consumption[]): Promise<void> {
    const versions = new Map<string, PriceDocument | undefined>();
    for (const { data } of events) {
      if (!versions.has(data.priceVersion)) versions.set(data.priceVersion, await this.prices.find(data.priceVersion));
    }
    for (const event of events) {
      const document = versions.get(event.data.priceVersion);
      const fault = ratingFault(event, document);
      if (!fault) continue;
      this.faults.inc({ fault });
      const { model, group, priceVersion, quota } = event.data;
      this.logger.error('a charge cannot be reproduced', {
        fault,
        eventId: event.id,
        model,
        group,
        priceVersion,
        quota,
        rated: ratedQuota(event, document),
      });
    }
  }
}
