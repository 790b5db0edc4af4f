import type { AppliedPrice, PriceDocument, RequestConsumed } from '@tollgate/contracts';
import { PriceCache } from '@tollgate/pricing';

/** Most prices that are kept of one price version. */
const MOST = 10_000;

type PricedRequest = Pick<RequestConsumed, 'model' | 'group' | 'userGroup' | 'repeats' | 'endpoint'>;

const caches = new WeakMap<PriceDocument, PriceCache>();

/** The price of a request's model and groups in this document. */
export function appliedPrice(
  { model, group, userGroup, repeats, endpoint }: PricedRequest,
  document: PriceDocument | undefined,
): AppliedPrice | undefined {
  if (!document) return undefined;
  const cache = caches.get(document) ?? new PriceCache(document, MOST);
  caches.set(document, cache);
  const isRealtime = endpoint === 'realtime';
  return cache.find(model, group, { acceptUnset: true, userGroup, isRealtime, isFree: repeats !== undefined });
}
