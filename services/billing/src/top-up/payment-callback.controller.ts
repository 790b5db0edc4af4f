import { Body, Controller, Headers, Query } from '@nestjs/common';
import { routes } from '@tollgate/contracts';
import type { PaymentProvider } from '@tollgate/contracts/api/top-up';
import { RawReply, Route } from '@tollgate/chassis';
import { OrderStateService } from './order-state.service.js';

type Query = Record<string, string>;
type Texts = Record<string, string | string[] | undefined>;

/**
 * The addresses to which payment providers report. The reply is only sent after the commit, because it tells the
 * provider not to repeat the callback.
 */
@Controller()
export class PaymentCallbackController {
  constructor(private readonly orders: OrderStateService) {}

  @Route(routes.notifyEpayByGet)
  byGet(@Query() query: Query, @Headers() headers: Texts): Promise<RawReply> {
    return this.plain(query, undefined, headers);
  }

  @Route(routes.notifyEpay)
  byPost(@Query() query: Query, @Body() body: unknown, @Headers() headers: Texts): Promise<RawReply> {
    return this.plain(query, body, headers);
  }

  /** Stripe repeats every event that is not answered with 2xx. */
  @Route(routes.notifyStripe)
  async stripe(@Query() query: Query, @Body() body: unknown, @Headers() headers: Texts): Promise<RawReply> {
    const accepted = await this.accepted('stripe', { query, body, headers });
    return new RawReply({ received: accepted }, accepted ? 200 : 400);
  }

  private async plain(query: Query, body: unknown, headers: Texts): Promise<RawReply> {
    const accepted = await this.accepted('epay', { query, body, headers });
    return new RawReply(accepted ? 'success' : 'fail', 200, { 'content-type': 'text/plain; charset=utf-8' });
  }

  private async accepted(
    provider: PaymentProvider,
    { query, body, headers }: { query: Query; body: unknown; headers: Texts },
  ): Promise<boolean> {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
    return this.orders.receive(provider, { query, body: bytes, headers });
  }
}
