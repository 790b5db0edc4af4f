import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Lifecycle, Logger, periodically } from '@tollgate/chassis';
import { asLeader, foldShards, Leader, type ShardedSums } from '@tollgate/database';

const EVERY_MS = 600_000;

const channelUsage: ShardedSums = {
  table: 'channel_usage',
  key: ['channel_id', 'zone', 'day', 'model', 'sent', 'source'],
  sums: ['requests', 'input', 'cached', 'output'],
};

/** A day of a channel, model and source is one row once it is over. */
@Injectable()
export class ChannelUsageFold {
  constructor(
    private readonly em: EntityManager,
    leader: Leader,
    lifecycle: Lifecycle,
    logger: Logger,
  ) {
    periodically(
      { lifecycle, logger },
      'joining of usage of channels',
      EVERY_MS,
      asLeader(leader, em, () => this.fold()),
    );
  }

  fold(step?: number): Promise<void> {
    return foldShards(this.em, channelUsage, step);
  }
}
