import { Injectable } from '@nestjs/common';
import { getPrices, type PriceDocument } from '@tollgate/contracts';
import { AppError, Clock, InternalClient, Logger } from '@tollgate/chassis';
import { LRUCache } from 'lru-cache';

const KEPT_VERSIONS = 50;
const KEPT_UNKNOWN = 1000;
/** How long rows wait for a version that billing does not know; its database may be recovering from a fail-over. */
const PATIENCE_MS = 60_000;

/**
 * Price documents by version, fetched from billing. A version is immutable, so it can be cached without limit of time.
 */
@Injectable()
export class PriceVersions {
  private readonly found = new LRUCache<string, PriceDocument>({ max: KEPT_VERSIONS });
  /** Since when a version has been requested without success, on the monotonic clock. */
  private readonly unknownSince = new LRUCache<string, number>({ max: KEPT_UNKNOWN });

  constructor(
    private readonly internal: InternalClient,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /**
   * Documents by version. Not to be called inside a transaction. Throws while billing does not know a version, so that
   * the batch is delivered again; after a minute the version is left out, because a row without ratios is better than
   * none.
   */
  async find(ids: Iterable<string>): Promise<ReadonlyMap<string, PriceDocument>> {
    const documents = new Map<string, PriceDocument>();
    for (const id of new Set(ids)) {
      const document = this.found.get(id) ?? (await this.fetch(id));
      if (document) documents.set(id, document);
    }
    return documents;
  }

  /** The version in force, for events that name none; `undefined` before the first publication of prices. */
  async current(): Promise<PriceDocument | undefined> {
    const { document } = await this.internal.call(getPrices, {});
    return document ?? undefined;
  }

  private async fetch(id: string): Promise<PriceDocument | undefined> {
    const { document } = await this.internal.call(getPrices, { id });
    if (document) {
      this.found.set(id, document);
      this.unknownSince.delete(id);
      return document;
    }
    const now = this.clock.monotonic();
    const since = this.unknownSince.get(id);
    if (since === undefined) this.unknownSince.set(id, now);
    if (since === undefined || now - since < PATIENCE_MS)
      throw new AppError('unavailable', 'price-version-unknown', `价格版本 ${id} 暂不可用，请稍后重试`);
    this.logger.warn('requests are logged without their ratios: nobody knows their prices', { priceVersion: id });
    return undefined;
  }
}
