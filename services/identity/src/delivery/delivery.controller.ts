import { Controller, Query } from '@nestjs/common';
import { type Page, routes } from '@tollgate/contracts';
import {
  type Delivery as DeliveryReply,
  deliveryQuerySchema,
  type DeliveryQuery,
} from '@tollgate/contracts/api/delivery';
import { type Caller, CurrentCaller, Route } from '@tollgate/chassis';
import { toPage } from '@tollgate/database';
import { DeliveryQueries } from './delivery.queries.js';
import { toGuardedReply, toReply } from './delivery.reply.js';

/** Lists the outcomes of mails and webhooks. */
@Controller()
export class DeliveryController {
  constructor(private readonly queries: DeliveryQueries) {}

  @Route(routes.listDeliveries)
  async list(@Query({ schema: deliveryQuerySchema }) query: DeliveryQuery): Promise<Page<DeliveryReply>> {
    const { deliveries, total } = await this.queries.list({ ...query, userId: query.user_id || undefined }, query);
    return toPage(deliveries, total, query, toGuardedReply);
  }

  @Route(routes.listOwnDeliveries)
  async listOwn(
    @Query({ schema: deliveryQuerySchema }) query: DeliveryQuery,
    @CurrentCaller() { userId }: Caller,
  ): Promise<Page<DeliveryReply>> {
    const { deliveries, total } = await this.queries.list({ ...query, userId }, query);
    return toPage(deliveries, total, query, toReply);
  }
}
