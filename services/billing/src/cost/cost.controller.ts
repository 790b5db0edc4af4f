import { Body, Controller, Query } from '@nestjs/common';
import { routes } from '@tollgate/contracts';
import { type ChannelCosts, costQuerySchema, type SavedCosts, saveCostsSchema } from '@tollgate/contracts/api/cost';
import { type Caller, CurrentCaller, Route } from '@tollgate/chassis';
import type { z } from 'zod';
import { CostService } from './cost.service.js';

@Controller()
export class CostController {
  constructor(private readonly costs: CostService) {}

  @Route(routes.getChannelCosts)
  get(@Query({ schema: costQuerySchema }) query: z.output<typeof costQuerySchema>): Promise<ChannelCosts> {
    return this.costs.get(query.channel_id);
  }

  @Route(routes.saveChannelCosts)
  save(
    @CurrentCaller() { userId }: Caller,
    @Body({ schema: saveCostsSchema }) input: z.output<typeof saveCostsSchema>,
  ): Promise<SavedCosts> {
    return this.costs.save(input, userId);
  }
}
