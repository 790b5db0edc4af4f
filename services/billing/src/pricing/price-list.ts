import type { PriceDocument } from '@tollgate/contracts';
import type { PricingRow } from '@tollgate/contracts/api/pricing';
import { isPriced, priceFor } from '@tollgate/pricing';
import type { Ability } from './ability-directory.js';

const byName = (first: string, second: string): number => (first < second ? -1 : first > second ? 1 : 0);

/**
 * The price list: one row per model that can be served, sorted by name. `known` decides which groups the reader may
 * see.
 */
export function priceList(
  abilities: readonly Ability[],
  document: PriceDocument,
  known: (group: string) => boolean,
): PricingRow[] {
  const groupsByModel = new Map<string, Set<string>>();
  for (const { group, model } of abilities) {
    const groups = groupsByModel.get(model) ?? new Set();
    groupsByModel.set(model, known(group) ? groups.add(group) : groups);
  }
  return [...groupsByModel]
    .sort(([first], [second]) => byName(first, second))
    .map(([model, groups]) => toRow(model, [...groups].sort(byName), document));
}

function toRow(model: string, enableGroups: string[], document: PriceDocument): PricingRow {
  const price = priceFor(model, '', document, { acceptUnset: true });
  const perCall = price !== undefined && price.modelPrice >= 0;
  return {
    model_name: model,
    quota_type: perCall ? 1 : 0,
    model_ratio: price?.modelRatio ?? 0,
    model_price: perCall ? price.modelPrice : 0,
    owner_by: '',
    completion_ratio: price?.completionRatio ?? 0,
    enable_groups: enableGroups,
    priced: isPriced(model, document),
    ...(!perCall && price && { cache_ratio: price.cacheRatio }),
  };
}
