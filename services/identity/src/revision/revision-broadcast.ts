import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Copies, KeyValue, Lifecycle, Logger, broadcastRevisions } from '@tollgate/chassis';
import { Leader } from '@tollgate/database';
import { currentRevisions } from './revisions.js';

/** Says after each change, and broadcasts to all replicas how far users and options are. */
@Injectable()
export class RevisionBroadcast {
  constructor(
    em: EntityManager,
    leader: Leader,
    copies: Copies,
    keyValue: KeyValue,
    lifecycle: Lifecycle,
    logger: Logger,
  ) {
    const read = () => currentRevisions(em.fork());
    copies.own(read);
    broadcastRevisions({ lifecycle, logger, keyValue }, 'identity', () => leader.isLeader, read);
  }
}
