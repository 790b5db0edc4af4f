import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type AppliedPrice, getPrices, pollBilling, type PriceDocument } from '@tollgate/contracts';
import { AppError, ReadModels, InternalClient, Lifecycle } from '@tollgate/chassis';
import { priceFor } from '@tollgate/pricing';

/** The longest time that a request waits for prices that were just published, in milliseconds. */
const EVENT_POLL_MS = 250;

/** Everything besides the model that decides the price of a request. */
interface Wanted {
  /** The group of the request, and the group of its user. */
  group: string;
  userGroup: string;
  isRealtime: boolean;
  acceptUnset: boolean;
}

interface Version {
  readonly document: PriceDocument;
  /** Prices that were looked up, by everything that decides them. */
  readonly applied: Map<string, AppliedPrice | undefined>;
}

interface FoundPrice {
  /** The id of the price version. */
  id: string;
  price: AppliedPrice | undefined;
}

/** The price version in force. A request takes one version at its start and keeps it to the end. */
@Injectable()
export class PriceStore {
  private version: Version | undefined;
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
    const { document, applied } = this.current();
    const { group, userGroup, isRealtime, acceptUnset } = wanted;
    const key = `${acceptUnset ? 1 : 0}${isRealtime ? 1 : 0}\n${group}\n${userGroup}\n${model}`;
    let price = applied.get(key);
    if (price === undefined && !applied.has(key)) {
      if (applied.size > 50_000) applied.clear();
      applied.set(key, (price = priceFor(model, group, document, wanted)));
    }
    return price;
  }

  private current(): Version {
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
    this.version = { document, applied: new Map() };
    this.revision = revision;
  }
}
