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

/**
 * Units that an event costs under these prices; `undefined` where they have no price for it, Infinity where the cost
 * exceeds the safe integers.
 */
export function ratedQuota({ data }: Consumption, document: PriceDocument | undefined): number | undefined {
  // A request that reached no upstream has no usage to rate; it must cost nothing.
  if (data.outcome === 'failed') return 0;
  const price = appliedPrice(data, document);
  try {
    return price && rate(data.usage, price);
  } catch (error) {
    // One event with an altered usage must not prevent the check of all others.
    if (error instanceof RangeError) return Infinity;
    throw error;
  }
}

/**
 * The fault of an event's charge under the price version it names; `undefined` when the charge is reproduced to the
 * unit.
 */
export function ratingFault(event: Consumption, document: PriceDocument | undefined): RatingFault | undefined {
  const rated = ratedQuota(event, document);
  if (rated === undefined) return 'unknown-version';
  return rated === event.data.quota ? undefined : 'quota';
}

/**
 * Rates booked events again. A difference changes no booking; it is counted and logged so that an operator examines it.
 */
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
    // The counters start at 0; otherwise the first fault of each kind would not show as an increase.
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
