import { Controller } from '@nestjs/common';
import { type EventBatch, requestConsumed } from '@tollgate/contracts';
import { OnEvent } from '@tollgate/database';
import { ConsumptionService } from './consumption.service.js';

@Controller()
export class RequestConsumedConsumer {
  constructor(private readonly consumption: ConsumptionService) {}

  @OnEvent(requestConsumed)
  count(batch: EventBatch<typeof requestConsumed>): Promise<void> {
    return this.consumption.count(batch);
  }
}
