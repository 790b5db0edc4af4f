import { Body, Controller, Headers, Param, Query } from '@nestjs/common';
import { type Page, type PageQuery, pageFromOneSchema, routes } from '@tollgate/contracts';
import { type BudgetChange, changeBudgetSchema, type TokenBudget } from '@tollgate/contracts/api/journal';
import { type Caller, CurrentCaller, type IdParam, idParamSchema, Route } from '@tollgate/chassis';
import type { z } from 'zod';
import { TokenBudgets } from './token-budgets.js';

@Controller()
export class TokenBudgetController {
  constructor(private readonly budgets: TokenBudgets) {}

  @Route(routes.listTokensOfUser)
  list(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamSchema }) { id }: IdParam,
    @Query({ schema: pageFromOneSchema }) query: PageQuery,
  ): Promise<Page<TokenBudget>> {
    return this.budgets.list(id, query, caller);
  }

  @Route(routes.changeTokenBudget)
  async change(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamSchema }) { id }: IdParam,
    @Body({ schema: changeBudgetSchema }) input: z.output<typeof changeBudgetSchema>,
    @Headers('idempotency-key') key: string | undefined,
  ): Promise<BudgetChange> {
    return this.budgets.change(id, input, caller, key);
  }
}
