import { createHash } from 'node:crypto';
import type { PriceDocument } from '@tollgate/contracts';
import type { OptionStore } from '@tollgate/chassis';

type Tables = Omit<PriceDocument, 'id'>;

/** Entries in the order of names, so that the same prices always read the same. */
const sorted = (table: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(table).sort(([first], [second]) => (first < second ? -1 : 1)));

/** The version the options stand for. Its id is a hash of its content: equal prices are one version. */
export function priceDocumentOf(options: Pick<OptionStore, 'get'>): PriceDocument {
  const tables: Tables = {
    modelRatio: sorted(options.get('ModelRatio')),
    completionRatio: sorted(options.get('CompletionRatio')),
    modelPrice: sorted(options.get('ModelPrice')),
    cacheRatio: sorted(options.get('CacheRatio')),
    imageRatio: sorted(options.get('ImageRatio')),
    groupRatio: sorted(options.get('GroupRatio')),
    quotaPerUnit: options.get('QuotaPerUnit'),
  };
  return { id: createHash('sha256').update(JSON.stringify(tables)).digest('hex').slice(0, 32), ...tables };
}
