import type { AppliedPrice, PriceDocument, RequestConsumed } from '@tollgate/contracts';
import { freeOf, priceFor } from '@tollgate/pricing';

/** Clients choose models and groups, so the cache is bounded; more entries than this are not worth keeping. */
const MOST = 10_000;

type PricedRequest = Pick<RequestConsumed, 'model' | 'group' | 'userGroup' | 'repeats' | 'endpoint'>;

const kept = new WeakMap<PriceDocument, Map<string, AppliedPrice | undefined>>();

/**
 * The price of a request's model and groups in this document. Equal requests get the same object, so that its numbers
 * are parsed once.
 */
export function appliedPrice(
  { model, group, userGroup, repeats, endpoint }: PricedRequest,
  document: PriceDocument | undefined,
): AppliedPrice | undefined {
  if (!document) return undefined;
  const prices = kept.get(document) ?? new Map<string, AppliedPrice | undefined>();
  if (prices.size === 0 || prices.size >= MOST) {
    prices.clear();
    kept.set(document, prices);
  }
  const isFree = repeats !== undefined;
  const isRealtime = endpoint === 'realtime';
  // Names may contain any character; their lengths make the key unambiguous.
  const key = `${isFree} ${isRealtime} ${model.length} ${group.length} ${userGroup?.length} ${model}${group}${userGroup ?? ''}`;
  if (!prices.has(key)) {
    const price = priceFor(model, group, document, { acceptUnset: true, userGroup, isRealtime });
    prices.set(key, price && isFree ? freeOf(price) : price);
  }
  return prices.get(key);
}
