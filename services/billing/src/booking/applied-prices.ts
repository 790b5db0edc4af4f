import type { AppliedPrice, PriceDocument, RequestConsumed } from '@tollgate/contracts';
import { freeOf, priceFor } from '@tollgate/pricing';

/** Models and groups come with requests; more of them than a document has rows are not worth keeping. */
const MOST = 10_000;

const kept = new WeakMap<PriceDocument, Map<string, AppliedPrice | undefined>>();

/** What the document says of a request's model and groups. The same object for the same ones, so that its numbers are read once. */
export function appliedPrice(
  { model, group, userGroup, repeats }: Pick<RequestConsumed, 'model' | 'group' | 'userGroup' | 'repeats'>,
  document: PriceDocument | undefined,
): AppliedPrice | undefined {
  if (!document) return undefined;
  const prices = kept.get(document) ?? new Map<string, AppliedPrice | undefined>();
  if (prices.size === 0 || prices.size >= MOST) {
    prices.clear();
    kept.set(document, prices);
  }
  const isFree = repeats !== undefined;
  // Names may have any character; with their lengths no two requests have the same key.
  const key = `${isFree} ${model.length} ${group.length} ${userGroup?.length} ${model}${group}${userGroup ?? ''}`;
  if (!prices.has(key)) {
    const price = priceFor(model, group, document, { acceptUnset: true, userGroup });
    prices.set(key, price && isFree ? freeOf(price) : price);
  }
  return prices.get(key);
}
