import { EntityManager } from '@mikro-orm/postgresql';
import { Controller, Query } from '@nestjs/common';
import { type Page, routes } from '@tollgate/contracts';
import {
  type Delivery as DeliveryReply,
  deliveryQuerySchema,
  type DeliveryQuery,
} from '@tollgate/contracts/api/delivery';
import { type Caller, CurrentCaller, Route, unixSeconds } from '@tollgate/chassis';
import { pageWindow, toPage, totalOf } from '@tollgate/database';
import { Delivery } from './delivery.entity.js';

/** Lists the outcomes of mails and webhooks. */
@Controller()
export class DeliveryController {
  constructor(private readonly em: EntityManager) {}

  @Route(routes.listDeliveries)
  list(@Query({ schema: deliveryQuerySchema }) query: DeliveryQuery): Promise<Page<DeliveryReply>> {
    const { user_id: userId } = query;
    return this.page(query, userId > 0 ? { userId } : {}, toGuardedReply);
  }

  @Route(routes.listOwnDeliveries)
  listOwn(
    @Query({ schema: deliveryQuerySchema }) query: DeliveryQuery,
    @CurrentCaller() { userId }: Caller,
  ): Promise<Page<DeliveryReply>> {
    return this.page(query, { userId }, toReply);
  }

  private async page(
    query: DeliveryQuery,
    owner: { userId?: number },
    toRow: (row: Delivery) => DeliveryReply,
  ): Promise<Page<DeliveryReply>> {
    const { status, kind } = query;
    const where = { ...owner, ...(status && { status }), ...(kind !== '' && { kind }) };
    const rows = await this.em.find(Delivery, where, { ...pageWindow(query), orderBy: { id: 'desc' } });
    return toPage(rows, await totalOf(rows.length, query, () => this.em.count(Delivery, where)), query, toRow);
  }
}

const toReply = (row: Delivery): DeliveryReply => ({
  id: row.id,
  user_id: row.userId ?? 0,
  kind: row.kind,
  via: row.via,
  target: row.target,
  status: row.status,
  attempts: row.attempts,
  reason: row.reason,
  created_at: unixSeconds(row.createdAt),
  next_attempt_at: row.status === 'waiting' ? unixSeconds(row.nextAttemptAt) : 0,
  finished_at: unixSeconds(row.finishedAt),
});

/** The path of a webhook is a secret at many services and known to its owner only, so administrators see the origin. */
const toGuardedReply = (row: Delivery): DeliveryReply => ({
  ...toReply(row),
  ...(row.via === 'webhook' && { target: new URL(row.target).origin }),
});
