import { Body, Controller, Param, Query } from '@nestjs/common';
import { type Page, routes } from '@tollgate/contracts';
import {
  refundSchema,
  topUpAmountSchema,
  type TopUpDetail,
  type TopUpListQuery,
  topUpListQuerySchema,
  type TopUpOrder as OrderReply,
  topUpPaySchema,
} from '@tollgate/contracts/api/top-up';
import {
  AppError,
  type Caller,
  CurrentCaller,
  type IdParam,
  idParamSchema,
  parsedBody,
  RawReply,
  Route,
  toErrorReply,
} from '@tollgate/chassis';
import type { z } from 'zod';
import { OrderStateService } from './order-state.service.js';
import { TopUpQueries } from './top-up.queries.js';
import { TopUpService } from './top-up.service.js';

@Controller()
export class TopUpController {
  constructor(
    private readonly topUps: TopUpService,
    private readonly orders: OrderStateService,
    private readonly queries: TopUpQueries,
  ) {}

  @Route(routes.quoteTopUp)
  quote(@CurrentCaller() caller: Caller, @Body() body: unknown): Promise<RawReply> {
    return this.answered(() => {
      const { amount } = parsedBody(topUpAmountSchema, body);
      const { money } = this.topUps.quote(caller, amount);
      return Promise.resolve({ success: true, message: 'success', data: money });
    });
  }

  @Route(routes.payTopUp)
  pay(@CurrentCaller() caller: Caller, @Body() body: unknown): Promise<RawReply> {
    return this.answered(() => {
      const { amount, payment_method: method } = parsedBody(topUpPaySchema, body);
      return this.topUps.begin(caller, amount, method);
    });
  }

  @Route(routes.listOwnTopUps)
  listOwn(
    @CurrentCaller() caller: Caller,
    @Query({ schema: topUpListQuerySchema }) query: TopUpListQuery,
  ): Promise<Page<OrderReply>> {
    return this.queries.list({ ...query, user_id: caller.userId });
  }

  @Route(routes.getOwnTopUp)
  getOwn(@CurrentCaller() caller: Caller, @Param({ schema: idParamSchema }) { id }: IdParam): Promise<TopUpDetail> {
    return this.queries.getOwn(id, caller.userId);
  }

  @Route(routes.listTopUps)
  list(@Query({ schema: topUpListQuerySchema }) query: TopUpListQuery): Promise<Page<OrderReply>> {
    return this.queries.list(query);
  }

  @Route(routes.getTopUp)
  get(@CurrentCaller() caller: Caller, @Param({ schema: idParamSchema }) { id }: IdParam): Promise<TopUpDetail> {
    return this.queries.get(id, caller);
  }

  @Route(routes.refundTopUp)
  async refund(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamSchema }) { id }: IdParam,
    @Body({ schema: refundSchema }) input: z.output<typeof refundSchema>,
  ): Promise<void> {
    await this.orders.refund(id, input, caller);
  }

  /**
   * The two calls report the result in `message`, and the value or the reason of a failure in `data`. An error reply
   * has the usual fields in addition.
   */
  private async answered(work: () => Promise<object>): Promise<RawReply> {
    try {
      return new RawReply(await work());
    } catch (error) {
      if (!(error instanceof AppError) || error.kind === 'rate-limited') throw error;
      const reply = toErrorReply(error);
      const text = error.code === 'invalid-input' ? '参数错误' : error.message;
      return new RawReply({ ...reply, message: 'error', data: text });
    }
  }
}
