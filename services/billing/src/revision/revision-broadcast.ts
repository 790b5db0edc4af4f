import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Copies, KeyValue, Lifecycle, Logger, broadcastRevisions } from '@tollgate/chassis';
import { Leader } from '@tollgate/database';
import { units } from '../units.js';

/** Says after each change, and broadcasts to all relays how far tokens and prices are. */
@Injectable()
export class RevisionBroadcast {
  constructor(
    private readonly em: EntityManager,
    leader: Leader,
    copies: Copies,
    keyValue: KeyValue,
    lifecycle: Lifecycle,
    logger: Logger,
  ) {
    const read = () => this.read();
    copies.own(read);
    broadcastRevisions({ lifecycle, logger, keyValue }, 'billing', () => leader.isLeader, read);
  }

  private async read(): Promise<{ token: number; price: number }> {
    const [row] = await this.em.fork().execute<{ token: unknown; price: unknown }[]>(
      `select (select "value" from "change_revision" where "name" = 'token') as "token",
         (select max("revision") from "price_publication") as "price"`,
    );
    return { token: units(row?.token ?? 0), price: units(row?.price ?? 0) };
  }
}
