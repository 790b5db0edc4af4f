import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { ReadModels } from '@tollgate/chassis';
import { Leader } from '@tollgate/database';
import { currentRevisions } from './revisions.js';

/** Publishes the revisions of users and options: in the reply to whoever changed one, and to all followers once a second. */
@Injectable()
export class RevisionBroadcast {
  constructor(em: EntityManager, leader: Leader, readModels: ReadModels) {
    readModels.own('identity', leader, () => currentRevisions(em.fork()));
  }
}
