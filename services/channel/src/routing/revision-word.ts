import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { KeyValue, Lifecycle, Logger, tellRevisions } from '@tollgate/chassis';
import { Leader } from '@tollgate/database';
import { currentRoutingRevision } from '../ability/routing-revision.js';

/** Tells all relays how far the channels are. */
@Injectable()
export class RevisionWord {
  constructor(em: EntityManager, leader: Leader, keyValue: KeyValue, lifecycle: Lifecycle, logger: Logger) {
    tellRevisions(
      { lifecycle, logger, keyValue },
      'channel',
      () => leader.isLeader,
      async () => ({ routing: await currentRoutingRevision(em.fork()) }),
    );
  }
}
