import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { ReadModels } from '@tollgate/chassis';
import { Leader } from '@tollgate/database';
import { currentRevisions } from './revisions.js';

/**
 * Publishes the revisions of users and options: in the reply to the call that changed them, and to all replicas once a
 * second.
 */
@Injectable()
export class RevisionBroadcast {
  constructor(em: EntityManager, leader: Leader, readModels: ReadModels) {
    readModels.own('identity', leader, () => currentRevisions(em.fork()));
  }
}
