import { Controller } from '@nestjs/common';
import { type EventBatch, userRegistered } from '@tollgate/contracts';
import { OnEvent } from '@tollgate/database';
import { AccountService } from './account.service.js';

/** The safety net of the call that opens an account: whoever lost its answer still gets a wallet, once. */
@Controller()
export class UserRegisteredConsumer {
  constructor(private readonly accounts: AccountService) {}

  @OnEvent(userRegistered)
  async open(batch: EventBatch<typeof userRegistered>): Promise<void> {
    for (const { data } of batch) await this.accounts.open(data);
  }
}
