import { Body, Controller } from '@nestjs/common';
import { nameTokens, pollBilling, resolveTokens } from '@tollgate/contracts';
import { Answers } from '@tollgate/chassis';
import type { z } from 'zod';
import { ChangeRevisions } from '../revision/change-revisions.js';
import { PriceService } from '../pricing/price.service.js';
import { TokenQueries } from './token.queries.js';

@Controller()
export class TokensInternalController {
  constructor(
    private readonly tokens: TokenQueries,
    private readonly prices: PriceService,
    private readonly revisions: ChangeRevisions,
  ) {}

  @Answers(resolveTokens)
  async resolve(
    @Body({ schema: resolveTokens.input }) { keyHashes, ids }: z.output<typeof resolveTokens.input>,
  ): Promise<z.output<typeof resolveTokens.output>> {
    return { tokens: await this.tokens.resolve(keyHashes, ids) };
  }

  @Answers(nameTokens)
  async names(
    @Body({ schema: nameTokens.input }) { ids }: z.output<typeof nameTokens.input>,
  ): Promise<z.output<typeof nameTokens.output>> {
    return { names: await this.tokens.names(ids) };
  }

  /**
   * The revision is read before the changes: a change that commits in between is then reported again by the next poll,
   * and never missed.
   */
  @Answers(pollBilling)
  async poll(
    @Body({ schema: pollBilling.input }) { tokensSince }: z.output<typeof pollBilling.input>,
  ): Promise<z.output<typeof pollBilling.output>> {
    const { token } = await this.revisions.current();
    const priceRevision = await this.prices.revision();
    const { ids, complete } =
      token > tokensSince ? await this.tokens.changedSince(tokensSince) : { ids: [], complete: true };
    return { priceRevision, tokenRevision: token, changedTokenIds: ids, complete };
  }
}
