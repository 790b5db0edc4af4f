import { Body, Controller, Param, Query } from '@nestjs/common';
import { type Page, routes } from '@tollgate/contracts';
import {
  createRedemptionSchema,
  redeemSchema,
  type Redemption as RedemptionReply,
  type RedemptionListQuery,
  redemptionListQuerySchema,
  type RedemptionSum,
  updateRedemptionSchema,
  updateRedemptionStatusSchema,
} from '@tollgate/contracts/api/redemption';
import { type Caller, CurrentCaller, type IdParam, idParamSchema, parsedBody, Route } from '@tollgate/chassis';
import { z } from 'zod';
import { RedeemingService } from './redeeming.service.js';
import { RedemptionService } from './redemption.service.js';

const updateQuerySchema = z.object({ status_only: z.string().optional() });

@Controller()
export class RedemptionController {
  constructor(
    private readonly redemptions: RedemptionService,
    private readonly redeeming: RedeemingService,
  ) {}

  @Route(routes.listRedemptions)
  list(@Query({ schema: redemptionListQuerySchema }) query: RedemptionListQuery): Promise<Page<RedemptionReply>> {
    return this.redemptions.list({ ...query, keyword: '' });
  }

  @Route(routes.searchRedemptions)
  search(@Query({ schema: redemptionListQuerySchema }) query: RedemptionListQuery): Promise<Page<RedemptionReply>> {
    return this.redemptions.list(query);
  }

  @Route(routes.sumRedemptions)
  sums(): Promise<RedemptionSum[]> {
    return this.redemptions.sums();
  }

  @Route(routes.getRedemption)
  get(@Param({ schema: idParamSchema }) { id }: IdParam): Promise<RedemptionReply> {
    return this.redemptions.get(id);
  }

  @Route(routes.createRedemptions)
  create(
    @CurrentCaller() caller: Caller,
    @Body({ schema: createRedemptionSchema }) input: z.output<typeof createRedemptionSchema>,
  ): Promise<string[]> {
    return this.redemptions.create(input, caller.userId);
  }

  /** The path accepts two kinds of body; the query says which. */
  @Route(routes.updateRedemption)
  update(
    @CurrentCaller() caller: Caller,
    @Query({ schema: updateQuerySchema }) query: z.output<typeof updateQuerySchema>,
    @Body() body: unknown,
  ): Promise<RedemptionReply> {
    if (!query.status_only) return this.redemptions.update(parsedBody(updateRedemptionSchema, body), caller.userId);
    const { id, status } = parsedBody(updateRedemptionStatusSchema, body);
    return this.redemptions.setStatus(id, status, caller.userId);
  }

  @Route(routes.deleteRedemption)
  delete(@CurrentCaller() caller: Caller, @Param({ schema: idParamSchema }) { id }: IdParam): Promise<void> {
    return this.redemptions.delete(id, caller.userId);
  }

  @Route(routes.redeem)
  async redeem(
    @CurrentCaller() caller: Caller,
    @Body({ schema: redeemSchema }) { key }: z.output<typeof redeemSchema>,
  ): Promise<number> {
    return this.redeeming.redeem(caller.userId, key);
  }
}
