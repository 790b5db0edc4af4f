import { Body, Controller } from '@nestjs/common';
import { adjustQuota, askAdjustment, findAffiliate, getBalances } from '@tollgate/contracts';
import { Answers } from '@tollgate/chassis';
import type { z } from 'zod';
import { AdjustmentService } from './adjustment.service.js';
import { AccountService } from './account.service.js';

@Controller()
export class AccountsInternalController {
  constructor(
    private readonly accounts: AccountService,
    private readonly adjustments: AdjustmentService,
  ) {}

  @Answers(getBalances)
  async balances(
    @Body({ schema: getBalances.input }) { userIds }: z.output<typeof getBalances.input>,
  ): Promise<z.output<typeof getBalances.output>> {
    return { balances: await this.accounts.balances(userIds) };
  }

  @Answers(adjustQuota)
  async adjust(
    @Body({ schema: adjustQuota.input }) input: z.output<typeof adjustQuota.input>,
  ): Promise<z.output<typeof adjustQuota.output>> {
    return input.asksOnly ? this.adjustments.requestApproval(input) : this.adjustments.adjust(input);
  }

  @Answers(askAdjustment)
  async requestApproval(
    @Body({ schema: askAdjustment.input }) input: z.output<typeof askAdjustment.input>,
  ): Promise<z.output<typeof askAdjustment.output>> {
    return this.adjustments.requestApproval(input);
  }

  @Answers(findAffiliate)
  async findAffiliate(
    @Body({ schema: findAffiliate.input }) { code }: z.output<typeof findAffiliate.input>,
  ): Promise<z.output<typeof findAffiliate.output>> {
    return { userId: await this.accounts.findByCode(code) };
  }
}
