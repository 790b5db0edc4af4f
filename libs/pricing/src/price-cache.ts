import type { AppliedPrice, PriceDocument } from '@tollgate/contracts';
import { freeOf, type PricedFor, priceFor } from './ratio-book.js';

interface Wanted extends PricedFor {
  /** The request makes up for another one. */
  isFree?: boolean;
}

/** The prices of one price version that were looked up. Equal requests get the same object, so that its numbers are parsed once. */
export class PriceCache {
  private readonly found = new Map<string, AppliedPrice | undefined>();

  /** Clients choose models and groups, so at most `most` prices are kept. */
  constructor(
    readonly document: PriceDocument,
    private readonly most: number,
  ) {}

  find(model: string, group: string, wanted: Wanted): AppliedPrice | undefined {
    const key = keyOf(model, group, wanted);
    let price = this.found.get(key);
    if (price === undefined && !this.found.has(key)) {
      if (this.found.size >= this.most) this.found.clear();
      price = priceFor(model, group, this.document, wanted);
      if (price && wanted.isFree) price = freeOf(price);
      this.found.set(key, price);
    }
    return price;
  }
}

/** Names may contain any character; their lengths make the key unambiguous. */
function keyOf(model: string, group: string, { acceptUnset, isRealtime, isFree, userGroup }: Wanted): string {
  const flags = (acceptUnset ? 1 : 0) + (isRealtime ? 2 : 0) + (isFree ? 4 : 0) + (userGroup === undefined ? 8 : 0);
  return `${flags} ${model.length} ${group.length} ${model}${group}${userGroup ?? ''}`;
}
