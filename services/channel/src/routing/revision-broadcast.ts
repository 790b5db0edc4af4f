import { Injectable } from '@nestjs/common';
import { ReadModels } from '@tollgate/chassis';
import { CombinedReads, Leader } from '@tollgate/database';
import { ROUTING_REVISION } from '../ability/routing-revision.js';

/** Publishes the routing revision: in the reply to the call that changed it, and to all replicas once a second. */
@Injectable()
export class RevisionBroadcast {
  constructor(reads: CombinedReads, leader: Leader, readModels: ReadModels) {
    readModels.own('channel', leader, async () => ({ routing: Number(await reads.read(ROUTING_REVISION)) }));
  }
}
