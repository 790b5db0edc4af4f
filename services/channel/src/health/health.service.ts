import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { ChannelChanges, type Move } from '../channel/channel-changes.js';
import { FRESH, lockChannels } from '../channel/channel-store.js';
import type { Channel } from '../channel/channel.entity.js';

/** Status changes that the system makes by itself. */
@Injectable()
export class HealthService {
  constructor(
    private readonly em: EntityManager,
    private readonly changes: ChannelChanges,
  ) {}

  /**
   * Lets `decide` judge the channel as it is now, under its lock. What was observed before the channel was last mended is
   * dropped, and so is everything about a channel that is gone.
   */
  async apply(channelId: number, observedAt: Date, decide: (channel: Channel) => Move | undefined): Promise<void> {
    await this.em.transactional(async (em) => {
      const [channel] = await lockChannels(em, { id: channelId });
      if (!channel?.acceptsEvidenceFrom(observedAt)) return;
      const move = decide(channel);
      const moved = move && this.changes.move(em, channel, move);
      if (moved) await this.changes.publish(em, { channelIds: [channelId], moved: [moved] });
    }, FRESH);
  }
}
