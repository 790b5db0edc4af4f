import { Body, Controller } from '@nestjs/common';
import { routes } from '@tollgate/contracts';
import { affTransferSchema } from '@tollgate/contracts/api/user';
import { type Caller, CurrentCaller, Message, Route } from '@tollgate/chassis';
import type { z } from 'zod';
import { AccountService } from './account.service.js';

@Controller()
export class AffiliateController {
  constructor(private readonly accounts: AccountService) {}

  @Route(routes.getAffiliateCode)
  code(@CurrentCaller() caller: Caller): Promise<string> {
    return this.accounts.affiliateCode(caller.userId);
  }

  @Route(routes.transferAffiliateQuota)
  async transfer(
    @CurrentCaller() caller: Caller,
    @Body({ schema: affTransferSchema }) { quota }: z.output<typeof affTransferSchema>,
  ): Promise<Message> {
    await this.accounts.transferAffiliateQuota(caller.userId, quota, caller.requestId);
    return new Message('划转成功');
  }
}
