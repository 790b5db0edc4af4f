import { createHash } from 'node:crypto';
import type { PriceDocument } from '@tollgate/contracts';
import type { OptionStore } from '@tollgate/chassis';

type Tables = Omit<PriceDocument, 'id'>;

/** Entries in the order of names, so that the same prices always read the same. */
const sorted = <Value>(table: Readonly<Record<string, Value>>): Record<string, Value> =>
  Object.fromEntries(Object.entries(table).sort(([first], [second]) => (first < second ? -1 : 1)));

const sortedTables = (
  tables: Readonly<Record<string, Record<string, number>>>,
): NonNullable<Tables['groupGroupRatio']> =>
  sorted(
    Object.fromEntries(
      Object.entries(tables).flatMap(([name, table]) => (Object.keys(table).length > 0 ? [[name, sorted(table)]] : [])),
    ),
  );

/** The version the options stand for. Its id is a hash of its content: equal prices are one version. */
export function priceDocumentOf(options: Pick<OptionStore, 'get'>): PriceDocument {
  const special = sortedTables(options.get('GroupGroupRatio'));
  const tables: Tables = {
    modelRatio: sorted(options.get('ModelRatio')),
    completionRatio: sorted(options.get('CompletionRatio')),
    modelPrice: sorted(options.get('ModelPrice')),
    cacheRatio: sorted(options.get('CacheRatio')),
    imageRatio: sorted(options.get('ImageRatio')),
    groupRatio: sorted(options.get('GroupRatio')),
    // An empty table is left out: a version from before there was one reads the same.
    ...(Object.keys(special).length > 0 && { groupGroupRatio: special }),
    quotaPerUnit: options.get('QuotaPerUnit'),
  };
  return { id: createHash('sha256').update(JSON.stringify(tables)).digest('hex').slice(0, 32), ...tables };
}
