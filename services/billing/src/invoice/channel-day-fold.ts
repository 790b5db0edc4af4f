import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Lifecycle, Logger, periodically } from '@tollgate/chassis';
import { asLeader, foldShards, Leader, type ShardedSums } from '@tollgate/database';

const EVERY_MS = 600_000;

const channelDays: ShardedSums = {
  table: 'channel_day',
  key: ['channel_id', 'zone', 'day', 'model', 'sent'],
  sums: ['requests', 'sales', 'cost', 'costed'],
};

/** A day of a channel and model is one row once it is over. */
@Injectable()
export class ChannelDayFold {
  constructor(
    private readonly em: EntityManager,
    leader: Leader,
    lifecycle: Lifecycle,
    logger: Logger,
  ) {
    periodically(
      { lifecycle, logger },
      'joining of days of channels',
      EVERY_MS,
      asLeader(leader, em, () => this.fold()),
    );
  }

  fold(step?: number): Promise<void> {
    return foldShards(this.em, channelDays, step);
  }
}
