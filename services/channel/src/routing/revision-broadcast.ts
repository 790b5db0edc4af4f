import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { ReadModels } from '@tollgate/chassis';
import { Leader } from '@tollgate/database';
import { currentRoutingRevision } from '../ability/routing-revision.js';

/** Publishes the revisions of channels: in the reply to whoever changed one, and to all followers once a second. */
@Injectable()
export class RevisionBroadcast {
  constructor(em: EntityManager, leader: Leader, readModels: ReadModels) {
    readModels.own('channel', leader, async () => ({ routing: await currentRoutingRevision(em.fork()) }));
  }
}
