import { EntityManager } from '@mikro-orm/postgresql';
import { Controller } from '@nestjs/common';
import {
  channelDisabled,
  channelEnabled,
  channelTestsFinished,
  type EventBatch,
  type EventContract,
  type EventOf,
  quotaLow,
  topUpCompleted,
} from '@tollgate/contracts';
import { OnEvent } from '@tollgate/database';
import { Notices } from './notices.js';

/** Turns events into notices to the user concerned or to the super administrators. */
@Controller()
export class NoticeConsumer {
  constructor(
    private readonly em: EntityManager,
    private readonly notices: Notices,
  ) {}

  @OnEvent(quotaLow)
  quotaLow(batch: EventBatch<typeof quotaLow>): Promise<void> {
    return this.each(batch, ({ id, data }) =>
      this.notices.notifyUser(data.userId, id, {
        type: 'quota_exceed',
        amount: this.notices.amountText(data.quota),
        link: this.notices.link('/topup'),
      }),
    );
  }

  @OnEvent(topUpCompleted)
  toppedUp(batch: EventBatch<typeof topUpCompleted>): Promise<void> {
    return this.each(batch, ({ id, data }) =>
      this.notices.notifyUser(data.userId, id, {
        type: 'top_up',
        amount: this.notices.amountText(data.quota),
        money: `${data.money} ${data.currency}`,
      }),
    );
  }

  /** Administrators get no notice of a channel that one of them disabled by hand. */
  @OnEvent(channelDisabled)
  channelDisabled(batch: EventBatch<typeof channelDisabled>): Promise<void> {
    return this.each(batch, async ({ id, data: { channelId, name, reason, automatic } }) => {
      if (automatic) await this.notices.notifyRoots(id, { type: 'channel_disabled', channelId, name, reason });
    });
  }

  @OnEvent(channelEnabled)
  channelEnabled(batch: EventBatch<typeof channelEnabled>): Promise<void> {
    return this.each(batch, async ({ id, data: { channelId, name, automatic } }) => {
      if (automatic) await this.notices.notifyRoots(id, { type: 'channel_enabled', channelId, name });
    });
  }

  /** Reports only runs that a person started. After a scheduled run, only the channels that it changed are reported. */
  @OnEvent(channelTestsFinished)
  channelsTested(batch: EventBatch<typeof channelTestsFinished>): Promise<void> {
    return this.each(batch, async ({ id, data: { tested, failed, scheduled } }) => {
      if (!scheduled) await this.notices.notifyRoots(id, { type: 'channel_test', tested, failed });
    });
  }

  /**
   * Handles the batch in one transaction. Each notice has its event's id as source, so an event that is delivered again
   * adds no notice.
   */
  private each<C extends EventContract>(
    batch: readonly EventOf<C>[],
    notify: (event: EventOf<C>) => Promise<void>,
  ): Promise<void> {
    return this.em.transactional(async () => {
      for (const event of batch) await notify(event);
    });
  }
}
