import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { PriceDocument } from '@tollgate/contracts';
import { Logger, OptionStore } from '@tollgate/chassis';
import { costOf } from '@tollgate/pricing';
import { appliedPrice } from './applied-prices.js';
import type { Consumption } from './booking-sums.js';
import { PriceService } from '../pricing/price.service.js';
import { CostList, type CostRow } from '../cost/cost-list.js';

export interface RequestCost {
  /** Units. */
  cost: number;
  /** Null where no channel was reached, so that no provider charges anything. */
  version: number | null;
}

/** Determines what requests cost the operator, by the cost version in force when they began. */
@Injectable()
export class CostBook {
  private readonly list = new CostList();
  /** Versions whose fault was already logged. */
  private readonly reportedVersions = new Set<number>();

  constructor(
    private readonly em: EntityManager,
    private readonly prices: PriceService,
    private readonly options: OptionStore,
    private readonly logger: Logger,
  ) {}

  /** Costs by event id; requests with an unknown cost are left out. Runs one query per batch, for new versions only. */
  async costsOf(batch: readonly Consumption[]): Promise<Map<string, RequestCost>> {
    await this.catchUp();
    const costs = new Map<string, RequestCost>();
    if (this.list.lastId === 0) return costs;
    for (const event of batch) {
      const known = await this.costOf(event);
      if (known) costs.set(event.id, known);
    }
    return costs;
  }

  private async costOf({ data }: Consumption): Promise<RequestCost | undefined> {
    // Providers charge nothing for an error.
    if (data.channelId === 0 || data.outcome === 'failed') return { cost: 0, version: null };
    const found = this.list.find(data);
    if (!found) return undefined;
    const document: PriceDocument | undefined = await this.prices.find(data.priceVersion);
    const quotaPerUnit = document?.quotaPerUnit ?? this.options.get('QuotaPerUnit');
    const cost = this.tried(found.id, () =>
      costOf(data.usage, { terms: found.terms, list: appliedPrice(data, document), quotaPerUnit }),
    );
    return cost === undefined ? undefined : { cost, version: found.id };
  }

  /**
   * A cost is only a note beside a charge. Where it cannot be computed, for example because of a mistyped price, it
   * stays unknown, and the charge is booked.
   */
  private tried(version: number, work: () => number | undefined): number | undefined {
    try {
      return work();
    } catch (error) {
      if (!this.reportedVersions.has(version))
        this.logger.error('a cost cannot be worked out and stays unknown', { version, error });
      this.reportedVersions.add(version);
      return undefined;
    }
  }

  private async catchUp(): Promise<void> {
    const rows = await this.em.execute<(Omit<CostRow, 'since'> & { since: string | Date })[]>(
      `select "id", "channel_id" as "channelId", "model", "terms", "created_at" as "since" from "channel_cost" where "id" > ? order by "id"`,
      [this.list.lastId],
    );
    this.list.add(rows.map((row) => ({ ...row, since: new Date(row.since).getTime() })));
  }
}
