import { Controller } from '@nestjs/common';
import { type EventBatch, userRegistered } from '@tollgate/contracts';
import { OnEvent } from '@tollgate/database';
import { OpeningService } from './opening.service.js';

/** The safety net of the call that opens an account: whoever lost its answer still gets a wallet, once. */
@Controller()
export class UserRegisteredConsumer {
  constructor(private readonly openings: OpeningService) {}

  @OnEvent(userRegistered)
  async open(batch: EventBatch<typeof userRegistered>): Promise<void> {
    for (const { data } of batch) await this.openings.open(data);
  }
}
