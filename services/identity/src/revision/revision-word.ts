import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { KeyValue, Lifecycle, Logger, tellRevisions } from '@tollgate/chassis';
import { Leader } from '@tollgate/database';
import { currentRevisions } from './revisions.js';

/** Tells all replicas how far users and options are. */
@Injectable()
export class RevisionWord {
  constructor(em: EntityManager, leader: Leader, keyValue: KeyValue, lifecycle: Lifecycle, logger: Logger) {
    tellRevisions(
      { lifecycle, logger, keyValue },
      'identity',
      () => leader.isLeader,
      () => currentRevisions(em.fork()),
    );
  }
}
