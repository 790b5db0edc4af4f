import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { KeyValue, Lifecycle, Logger, broadcastRevisions } from '@tollgate/chassis';
import { Leader } from '@tollgate/database';
import { currentRevisions } from './revisions.js';

/** Broadcasts to all replicas how far users and options are. */
@Injectable()
export class RevisionBroadcast {
  constructor(em: EntityManager, leader: Leader, keyValue: KeyValue, lifecycle: Lifecycle, logger: Logger) {
    broadcastRevisions(
      { lifecycle, logger, keyValue },
      'identity',
      () => leader.isLeader,
      () => currentRevisions(em.fork()),
    );
  }
}
