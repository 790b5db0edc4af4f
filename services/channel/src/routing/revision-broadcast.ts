import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Copies, KeyValue, Lifecycle, Logger, broadcastRevisions } from '@tollgate/chassis';
import { Leader } from '@tollgate/database';
import { currentRoutingRevision } from '../ability/routing-revision.js';

/** Says after each change, and broadcasts to all relays how far the channels are. */
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
    const read = async () => ({ routing: await currentRoutingRevision(em.fork()) });
    copies.own(read);
    broadcastRevisions({ lifecycle, logger, keyValue }, 'channel', () => leader.isLeader, read);
  }
}
