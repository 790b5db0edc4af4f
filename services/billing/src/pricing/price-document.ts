import type { PriceDocument } from '@tollgate/contracts';
import type { OptionStore } from '@tollgate/chassis';
import { priceIdOf, type PriceTables, sorted } from './price-id.js';

/**
 * In the reference, no option changes it. It is part of the versions because sessions were charged without it before.
 */
const REALTIME_AUDIO_RATIO = 20;

const sortedTables = (
  tables: Readonly<Record<string, Record<string, number>>>,
): NonNullable<PriceTables['groupGroupRatio']> =>
  sorted(
    Object.fromEntries(
      Object.entries(tables).flatMap(([name, table]) => (Object.keys(table).length > 0 ? [[name, sorted(table)]] : [])),
    ),
  );

/** The price version of the current options. Its id is a hash of its content, so equal prices are one version. */
export function priceDocumentOf(options: Pick<OptionStore, 'get'>): PriceDocument {
  const special = sortedTables(options.get('GroupGroupRatio'));
  const tables: PriceTables = {
    modelRatio: sorted(options.get('ModelRatio')),
    completionRatio: sorted(options.get('CompletionRatio')),
    modelPrice: sorted(options.get('ModelPrice')),
    cacheRatio: sorted(options.get('CacheRatio')),
    imageRatio: sorted(options.get('ImageRatio')),
    groupRatio: sorted(options.get('GroupRatio')),
    // An empty table is left out, so that versions from before this table existed keep their id.
    ...(Object.keys(special).length > 0 && { groupGroupRatio: special }),
    realtimeAudioRatio: REALTIME_AUDIO_RATIO,
    quotaPerUnit: options.get('QuotaPerUnit'),
  };
  return { id: priceIdOf(tables), ...tables };
}
