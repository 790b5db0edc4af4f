import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { ReadModels, KeyValue, Lifecycle, Logger, broadcastRevisions } from '@tollgate/chassis';
import { Leader } from '@tollgate/database';
import { currentRoutingRevision } from '../ability/routing-revision.js';

/** Tells the revisions of channels: in the reply to whoever changed one, and to all followers once a second. */
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
    const read = async () => ({ routing: await currentRoutingRevision(em.fork()) });
    readModels.own(read);
    broadcastRevisions({ lifecycle, logger, keyValue }, 'channel', () => leader.isLeader, read);
  }
}
