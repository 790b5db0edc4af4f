import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { KeyValue, Lifecycle, Logger, broadcastRevisions } from '@tollgate/chassis';
import { Leader } from '@tollgate/database';
import { currentRoutingRevision } from '../ability/routing-revision.js';

/** Broadcasts to all relays how far the channels are. */
@Injectable()
export class RevisionBroadcast {
  constructor(em: EntityManager, leader: Leader, keyValue: KeyValue, lifecycle: Lifecycle, logger: Logger) {
    broadcastRevisions(
      { lifecycle, logger, keyValue },
      'channel',
      () => leader.isLeader,
      async () => ({ routing: await currentRoutingRevision(em.fork()) }),
    );
  }
}
