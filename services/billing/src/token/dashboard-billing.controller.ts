import { Controller, Headers, Req } from '@nestjs/common';
import { routes } from '@tollgate/contracts';
import { Logger, OptionStore, RawReply, Route, toAppError } from '@tollgate/chassis';
import type { FastifyRequest } from 'fastify';
import { AccountService } from '../account/account.service.js';
import { subscriptionOf, type TokenFigures, usageOf, type ViewOptions } from './dashboard-billing.js';
import { TokenAuthenticator } from './token-authenticator.js';
import type { Token } from './token.entity.js';

type View = (token: TokenFigures, owner: { quota: number; usedQuota: number }, options: ViewOptions) => object;

/**
 * OpenAI's billing calls, for clients that show the rest of a key's quota. They authenticate with the key and get
 * replies in OpenAI's format.
 */
@Controller()
export class DashboardBillingController {
  constructor(
    private readonly authenticator: TokenAuthenticator,
    private readonly accounts: AccountService,
    private readonly options: OptionStore,
    private readonly logger: Logger,
  ) {}

  @Route(routes.getBillingSubscription)
  subscription(
    @Headers('authorization') header: string | undefined,
    @Req() request: FastifyRequest,
  ): Promise<RawReply> {
    return this.answer(header, request, subscriptionOf);
  }

  @Route(routes.getBillingSubscriptionShort)
  subscriptionShort(
    @Headers('authorization') header: string | undefined,
    @Req() request: FastifyRequest,
  ): Promise<RawReply> {
    return this.answer(header, request, subscriptionOf);
  }

  @Route(routes.getBillingUsage)
  usage(@Headers('authorization') header: string | undefined, @Req() request: FastifyRequest): Promise<RawReply> {
    return this.answer(header, request, usageOf);
  }

  @Route(routes.getBillingUsageShort)
  usageShort(@Headers('authorization') header: string | undefined, @Req() request: FastifyRequest): Promise<RawReply> {
    return this.answer(header, request, usageOf);
  }

  private async answer(header: string | undefined, { id, ip }: FastifyRequest, view: View): Promise<RawReply> {
    try {
      const token = await this.authenticator.authenticate(header, ip);
      const [owner = { quota: 0, usedQuota: 0 }] = await this.accounts.balances([token.userId]);
      return new RawReply(
        view(figuresOf(token), owner, {
          byToken: this.options.get('DisplayTokenStatEnabled'),
          inCurrency: this.options.get('DisplayInCurrencyEnabled'),
          quotaPerUnit: this.options.get('QuotaPerUnit'),
        }),
      );
    } catch (error) {
      // These clients do not understand the console's reply envelope.
      const failure = toAppError(error, id);
      if (failure.kind === 'internal') this.logger.error('a billing call failed', { error, requestId: id });
      const message = `${failure.message} (request id: ${id})`;
      return new RawReply({ error: { message, type: 'new_api_error' } }, failure.details.status ?? 503);
    }
  }
}

const figuresOf = (token: Token): TokenFigures => ({
  remainQuota: token.remainQuota(),
  spent: token.spent,
  unlimitedQuota: token.unlimitedQuota,
  expiredTime: token.expiredTime,
});
