import { Controller } from '@nestjs/common';
import { changesPrices, type EventBatch, optionChanged } from '@tollgate/contracts';
import { OnEvent } from '@tollgate/database';
import { PriceService } from './price.service.js';

@Controller()
export class OptionChangedConsumer {
  constructor(private readonly prices: PriceService) {}

  /** Publishes one version for the whole batch, from the current options rather than from the events. */
  @OnEvent(optionChanged)
  async publish(batch: EventBatch<typeof optionChanged>): Promise<void> {
    if (batch.some(({ data }) => changesPrices(data.key))) await this.prices.publish();
  }
}
