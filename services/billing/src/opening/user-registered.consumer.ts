import { Controller } from '@nestjs/common';
import { type EventBatch, userRegistered } from '@tollgate/contracts';
import { OnEvent } from '@tollgate/database';
import { OpeningService } from './opening.service.js';

/**
 * Opens the account of a registered user again from the event, in case the direct call failed; this has an effect only
 * once.
 */
@Controller()
export class UserRegisteredConsumer {
  constructor(private readonly openings: OpeningService) {}

  @OnEvent(userRegistered)
  async open(batch: EventBatch<typeof userRegistered>): Promise<void> {
    for (const { data } of batch) await this.openings.open(data);
  }
}
