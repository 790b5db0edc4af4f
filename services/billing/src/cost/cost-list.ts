import type { RequestConsumed } from '@tollgate/contracts';
import type { CostTerms } from '@tollgate/contracts/api/cost';

export interface CostRow {
  id: number;
  channelId: number;
  model: string;
  terms: CostTerms | null;
  /** Milliseconds. */
  since: number;
}

export type KnownCost = Pick<CostRow, 'id'> & { terms: CostTerms };

/** All versions by channel and model, oldest first, to be asked for what counted at a time. */
export class CostList {
  private readonly versions = new Map<string, CostRow[]>();
  private latest = 0;

  /** Of the newest version that is known. */
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
   * What counted for a request: its model's own version, by the name that was sent, which the provider bills, else the one that was asked for, else the
   * one for all others.
   * Undefined where nothing was known.
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
