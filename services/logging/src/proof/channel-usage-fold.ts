import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Lifecycle, Logger } from '@tollgate/chassis';
import { Leader, ShardFold } from '@tollgate/database';

@Injectable()
export class ChannelUsageFold extends ShardFold {
  constructor(em: EntityManager, leader: Leader, lifecycle: Lifecycle, logger: Logger) {
    super(
      { em, leader, lifecycle, logger },
      {
        table: 'channel_usage',
        key: ['channel_id', 'zone', 'day', 'model', 'sent', 'source'],
        sums: ['requests', 'input', 'cached', 'output'],
      },
    );
  }
}
