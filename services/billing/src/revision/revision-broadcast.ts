import { Injectable } from '@nestjs/common';
import { ReadModels } from '@tollgate/chassis';
import { CombinedReads, Leader } from '@tollgate/database';
import { units } from '../units.js';

/**
 * Publishes the revisions of tokens and prices: in the reply to a request that changed one, and to all followers once a
 * second.
 */
@Injectable()
export class RevisionBroadcast {
  constructor(
    private readonly reads: CombinedReads,
    leader: Leader,
    readModels: ReadModels,
  ) {
    readModels.own('billing', leader, () => this.read());
  }

  private async read(): Promise<{ token: number; price: number }> {
    const [token, price] = await Promise.all([
      this.reads.read(`select "value" from "change_revision" where "name" = 'token'`),
      this.reads.read(`select max("revision") from "price_publication"`),
    ]);
    return { token: units(token ?? 0), price: units(price ?? 0) };
  }
}
