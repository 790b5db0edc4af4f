import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { ReadModels } from '@tollgate/chassis';
import { Leader } from '@tollgate/database';
import { currentRoutingRevision } from '../ability/routing-revision.js';

/** Publishes the routing revision: in the reply to the call that changed it, and to all replicas once a second. */
@Injectable()
export class RevisionBroadcast {
  constructor(em: EntityManager, leader: Leader, readModels: ReadModels) {
    readModels.own('channel', leader, async () => ({ routing: await currentRoutingRevision(em.fork()) }));
  }
}
