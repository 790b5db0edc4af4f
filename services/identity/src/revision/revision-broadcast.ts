import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { ReadModels, KeyValue, Lifecycle, Logger, broadcastRevisions } from '@tollgate/chassis';
import { Leader } from '@tollgate/database';
import { currentRevisions } from './revisions.js';

/** Tells the revisions of users and options: in the reply to whoever changed one, and to all followers once a second. */
@Injectable()
export class RevisionBroadcast {
  constructor(
    em: EntityManager,
    leader: Leader,
    readModels: ReadModels,
    keyValue: KeyValue,
    lifecycle: Lifecycle,
    logger: Logger,
  ) {
    const read = () => currentRevisions(em.fork());
    readModels.own(read);
    broadcastRevisions({ lifecycle, logger, keyValue }, 'identity', () => leader.isLeader, read);
  }
}
