import { Injectable } from '@nestjs/common';
import { ReadModels } from '@tollgate/chassis';
import { CombinedReads, Leader } from '@tollgate/database';
import { CURRENT_REVISIONS, type RevisionName } from './revisions.js';

/**
 * Publishes the revisions of users and options: in the reply to the call that changed them, and to all replicas once a
 * second.
 */
@Injectable()
export class RevisionBroadcast {
  constructor(reads: CombinedReads, leader: Leader, readModels: ReadModels) {
    readModels.own('identity', leader, () => reads.read<Record<RevisionName, number>>(CURRENT_REVISIONS));
  }
}
