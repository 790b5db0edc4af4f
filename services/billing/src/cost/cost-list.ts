import type { RequestConsumed } from '@tollgate/contracts';
import type { CostTerms } from '@tollgate/contracts/api/cost';

export interface CostRow {
  id: number;
  channelId: number;
  model: string;
  terms: CostTerms | null;
  /** Milliseconds since the epoch. */
  since: number;
}

type KnownCost = Pick<CostRow, 'id'> & { terms: CostTerms };

/** All cost versions by channel and model, oldest first. */
export class CostList {
  private readonly versions = new Map<string, CostRow[]>();
  private latest = 0;

  /** The id of the newest known version. */
  get lastId(): number {
    return this.latest;
  }

  /** Versions are written one after the other, so their ids and times ascend. */
  add(rows: readonly CostRow[]): void {
    for (const row of rows) {
      if (row.id <= this.latest) continue;
      const key = keyOf(row.channelId, row.model);
      const known = this.versions.get(key);
      if (known) known.push(row);
      else this.versions.set(key, [row]);
      this.latest = row.id;
    }
  }

  /**
   * The version in force for a request: that of the upstream model's name, by which the provider bills; otherwise that
   * of the requested name; otherwise the one for all models. `undefined` where no cost was known.
   */
  find({ channelId, model, upstreamModel, startedAt }: WantedCost): KnownCost | undefined {
    const at = Date.parse(startedAt);
    for (const name of new Set([upstreamModel ?? model, model, ''])) {
      const row = this.versions.get(keyOf(channelId, name))?.findLast(({ since }) => since <= at);
      if (row?.terms) return { id: row.id, terms: row.terms };
    }
    return undefined;
  }
}

type WantedCost = Pick<RequestConsumed, 'channelId' | 'model' | 'upstreamModel' | 'startedAt'>;

const keyOf = (channelId: number, model: string): string => `${channelId}\n${model}`;
