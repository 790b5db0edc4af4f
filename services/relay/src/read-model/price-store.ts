import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type AppliedPrice, getPrices, pollBilling } from '@tollgate/contracts';
import { AppError, ReadModels, InternalClient, Lifecycle } from '@tollgate/chassis';
import { PriceCache } from '@tollgate/pricing';

/** The longest time that a request waits for prices that were just published, in milliseconds. */
const EVENT_POLL_MS = 250;
/** Most prices that are kept of one version. */
const MOST_PRICES = 50_000;

/** Everything besides the model that decides the price of a request. */
interface Wanted {
  /** The group of the request, and the group of its user. */
  group: string;
  userGroup: string;
  isRealtime: boolean;
  acceptUnset: boolean;
}

interface FoundPrice {
  /** The id of the price version. */
  id: string;
  price: AppliedPrice | undefined;
}

/** The price version in force. A request takes one version at its start and keeps it to the end. */
@Injectable()
export class PriceStore {
  private version: PriceCache | undefined;
  private revision = -1;
  private eventPoll: Promise<void> | undefined;

  constructor(
    private readonly internal: InternalClient,
    readModels: ReadModels,
    lifecycle: Lifecycle,
  ) {
    lifecycle.onReady(() => this.refresh());
    readModels.follow({
      owner: 'billing',
      topics: ['price-published'],
      name: 'price',
      revision: () => this.revision,
      catchUp: () => this.poll(),
      onEvent: () => this.pollAfterEvent(),
    });
  }

  /**
   * `price` is `undefined` where the model has none; before that is reported, billing is polled once for a newer
   * version.
   */
  find(model: string, wanted: Wanted): Promise<FoundPrice> | FoundPrice {
    const price = this.eventPoll ? undefined : this.lookUp(model, wanted);
    return price ? { id: this.current().document.id, price } : this.findAfterPoll(model, wanted);
  }

  private async findAfterPoll(model: string, wanted: Wanted): Promise<FoundPrice> {
    if (this.eventPoll) await this.eventPoll;
    const price = this.lookUp(model, wanted);
    if (price === undefined) await this.poll();
    return { id: this.current().document.id, price: price ?? this.lookUp(model, wanted) };
  }

  /** Polls after an event of a new version. A failure is ignored, because the regular poll repeats it. */
  private pollAfterEvent(): void {
    const polled = this.poll().catch(() => undefined);
    const eventPoll = Promise.race([polled, pause(EVENT_POLL_MS)]).then(() => {
      if (this.eventPoll === eventPoll) this.eventPoll = undefined;
    });
    this.eventPoll = eventPoll;
  }

  private lookUp(model: string, wanted: Wanted): AppliedPrice | undefined {
    return this.current().find(model, wanted.group, wanted);
  }

  private current(): PriceCache {
    if (!this.version) throw new AppError('unavailable', 'prices-unavailable', '价格信息暂不可用，请稍后重试');
    return this.version;
  }

  private async poll(): Promise<void> {
    const { priceRevision } = await this.internal.call(pollBilling, { tokensSince: Number.MAX_SAFE_INTEGER });
    if (priceRevision !== this.revision) await this.refresh();
  }

  private async refresh(): Promise<void> {
    const { revision, document } = await this.internal.call(getPrices, {});
    if (!document || revision < this.revision) return;
    this.version = new PriceCache(document, MOST_PRICES);
    this.revision = revision;
  }
}
