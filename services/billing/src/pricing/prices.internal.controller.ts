import { Body, Controller } from '@nestjs/common';
import { getPrices, publishPrices } from '@tollgate/contracts';
import { Answers } from '@tollgate/chassis';
import type { z } from 'zod';
import { PriceService } from './price.service.js';

@Controller()
export class PricesInternalController {
  constructor(private readonly prices: PriceService) {}

  @Answers(getPrices)
  async get(
    @Body({ schema: getPrices.input }) { id }: z.output<typeof getPrices.input>,
  ): Promise<z.output<typeof getPrices.output>> {
    if (id === undefined) return this.prices.current();
    return { revision: await this.prices.revision(), document: (await this.prices.find(id)) ?? null };
  }

  @Answers(publishPrices)
  async publish(): Promise<z.output<typeof publishPrices.output>> {
    await this.prices.publish();
    return { revision: await this.prices.revision() };
  }
}
