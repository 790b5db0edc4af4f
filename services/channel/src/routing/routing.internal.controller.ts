import { Body, Controller } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { getAbilities, getRouting, nameChannels, pollChannel, type RoutedChannel } from '@tollgate/contracts';
import { Answers, Logger } from '@tollgate/chassis';
import type { z } from 'zod';
import { ChannelKeys } from '../channel/channel-keys.js';
import { ChannelQueries } from '../channel/channel.queries.js';
import { Channel } from '../channel/channel.entity.js';
import { AbilityService } from '../ability/ability.service.js';
import { toRoutedChannel } from '../channel/routed-channel.js';
import { currentRoutingRevision } from '../ability/routing-revision.js';

type NameInput = z.output<typeof nameChannels.input>;

/**
 * The data of channels for other services. Revisions are read before the rows, so a snapshot is never older than its
 * revision.
 */
@Controller()
export class RoutingInternalController {
  constructor(
    private readonly em: EntityManager,
    private readonly abilities: AbilityService,
    private readonly keys: ChannelKeys,
    private readonly queries: ChannelQueries,
    private readonly logger: Logger,
  ) {}

  @Answers(getRouting)
  async snapshot(): Promise<z.output<typeof getRouting.output>> {
    const revision = await currentRoutingRevision(this.em);
    const channels = await this.em.find(Channel, {}, { orderBy: { id: 'asc' } });
    return { revision, channels: channels.flatMap((channel) => this.routed(channel) ?? []) };
  }

  @Answers(getAbilities)
  async listAbilities(): Promise<z.output<typeof getAbilities.output>> {
    const revision = await currentRoutingRevision(this.em);
    return { revision, abilities: await this.abilities.listPairs() };
  }

  @Answers(nameChannels)
  async names(@Body({ schema: nameChannels.input }) { ids }: NameInput): Promise<z.output<typeof nameChannels.output>> {
    return { names: await this.queries.names(ids) };
  }

  @Answers(pollChannel)
  async poll(): Promise<z.output<typeof pollChannel.output>> {
    return { routingRevision: await currentRoutingRevision(this.em) };
  }

  /** A channel whose key cannot be decrypted is left out, so that it does not break the routing of the others. */
  private routed(channel: Channel): RoutedChannel | undefined {
    try {
      const keys = this.keys.inUse(channel);
      return toRoutedChannel(channel, keys[0]?.key ?? '', keys);
    } catch (error) {
      this.logger.error('the key of a channel cannot be opened; the channel is left out of the routing', {
        channelId: channel.id,
        error,
      });
      return undefined;
    }
  }
}
