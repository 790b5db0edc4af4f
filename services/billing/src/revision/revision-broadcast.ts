import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { ReadModels } from '@tollgate/chassis';
import { Leader } from '@tollgate/database';
import { units } from '../units.js';

/**
 * Publishes the revisions of tokens and prices: in the reply to a request that changed one, and to all followers once a
 * second.
 */
@Injectable()
export class RevisionBroadcast {
  constructor(
    private readonly em: EntityManager,
    leader: Leader,
    readModels: ReadModels,
  ) {
    readModels.own('billing', leader, () => this.read());
  }

  private async read(): Promise<{ token: number; price: number }> {
    const [row] = await this.em.fork().execute<{ token: unknown; price: unknown }[]>(
      `select (select "value" from "change_revision" where "name" = 'token') as "token",
         (select max("revision") from "price_publication") as "price"`,
    );
    return { token: units(row?.token ?? 0), price: units(row?.price ?? 0) };
  }
}
