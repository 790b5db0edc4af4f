import { Controller, Param, Query, Req, Res } from '@nestjs/common';
import { routes } from '@tollgate/contracts';
import {
  bindingParamSchema,
  oauthAuthorizeQuerySchema,
  type OauthAuthorizeQuery,
  oauthParamSchema,
  type OauthProvider,
  oauthProviders,
  type OauthQuery,
  oauthQuerySchema,
  oauthStateQuerySchema,
  telegramQuerySchema,
  wechatQuerySchema,
} from '@tollgate/contracts/api/oauth';
import type { SecondStep } from '@tollgate/contracts/api/second-factor';
import type { SessionUser } from '@tollgate/contracts/api/user';
import {
  AppError,
  type Caller,
  CurrentCaller,
  idParamSchema,
  Message,
  type PlatformRequest,
  RawReply,
  Route,
  unknownAddress,
} from '@tollgate/chassis';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import { parseInput } from '../parse-input.js';
import { OauthService } from './oauth.service.js';
import type { ProviderAccount } from './provider-account.js';
import { ProviderAccounts } from './provider-accounts.js';
import type { TelegramFields } from './providers/telegram.js';
import { WeChat } from './providers/wechat.js';
import { Unbinding } from './unbinding.js';

const userBindingSchema = bindingParamSchema.and(idParamSchema);

/**
 * WeChat sign-in has no `state` parameter, so another site could send a visitor here with a code of its own and sign
 * them in to the attacker's account. Refuses requests that come from another site.
 */
function refuseForeignPage({ headers }: PlatformRequest): void {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return;
  throw new AppError('forbidden', 'foreign-origin', '无权进行此操作，请求来源不受信任', { status: 403 });
}

const isProvider = (name: string): name is OauthProvider => oauthProviders.some((known) => known === name);

@Controller()
export class OauthController {
  constructor(
    private readonly oauth: OauthService,
    private readonly accounts: ProviderAccounts,
    private readonly wechat: WeChat,
    private readonly unbinding: Unbinding,
  ) {}

  @Route(routes.oauthState)
  state(
    @Query({ schema: oauthStateQuerySchema }) { aff }: z.output<typeof oauthStateQuerySchema>,
    @Req() request: PlatformRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    return this.oauth.begin(aff, { request, reply });
  }

  @Route(routes.oauthAuthorize)
  authorize(
    @Query({ schema: oauthAuthorizeQuerySchema }) query: OauthAuthorizeQuery,
    @Req() request: PlatformRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    return this.oauth.authorize(query, { request, reply });
  }

  @Route(routes.wechatLogin)
  async loginByWechat(
    @Req() request: PlatformRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionUser | Message<SecondStep>> {
    refuseForeignPage(request);
    const account = await this.wechatAccount(request);
    return this.oauth.enter('wechat', account, '', { request, reply });
  }

  @Route(routes.bindWechat)
  async bindWechat(@Req() request: PlatformRequest, @CurrentCaller() caller: Caller): Promise<void> {
    const { id } = await this.wechatAccount(request);
    await this.accounts.bind('wechat', id, caller);
  }

  @Route(routes.telegramLogin)
  loginByTelegram(
    @Query({ schema: telegramQuerySchema }) fields: TelegramFields,
    @Req() request: PlatformRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionUser | Message<SecondStep>> {
    return this.oauth.enterByTelegram(fields, { request, reply });
  }

  /**
   * The Telegram widget navigates the browser to this address, so the reply is a redirect to a page. The console sends
   * users without a settings page on from there.
   */
  @Route(routes.bindTelegram)
  async bindTelegram(
    @Query({ schema: telegramQuerySchema }) fields: TelegramFields,
    @CurrentCaller() caller: Caller,
    @Req() request: PlatformRequest,
  ): Promise<RawReply> {
    await this.oauth.bindTelegram(fields, caller, request.ip);
    return new RawReply('', 302, { location: '/setting' });
  }

  @Route(routes.unbindSelf)
  unbindSelf(
    @Param({ schema: bindingParamSchema }) { provider }: z.output<typeof bindingParamSchema>,
    @CurrentCaller() { userId }: Caller,
  ): Promise<void> {
    return this.unbinding.ofSelf(provider, userId);
  }

  @Route(routes.unbindUser)
  unbindUser(
    @Param({ schema: userBindingSchema }) { id, provider }: z.output<typeof userBindingSchema>,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    return this.unbinding.ofUser(provider, id, caller);
  }

  @Route(routes.oauthCallback)
  async callback(
    @Param({ schema: oauthParamSchema }) { provider }: z.output<typeof oauthParamSchema>,
    @Query({ schema: oauthQuerySchema }) query: OauthQuery,
    @Req() request: PlatformRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionUser | Message<SecondStep> | Message | RawReply> {
    if (!isProvider(provider)) return new RawReply(unknownAddress(request), 404);
    const entered = await this.oauth.finish(provider, query, { caller: request.caller, request, reply });
    return entered ?? new Message('bind');
  }

  /** Checks that WeChat sign-in is enabled before it validates the query, as documented. */
  private async wechatAccount({ query }: PlatformRequest): Promise<ProviderAccount> {
    this.accounts.assertEnabled('wechat');
    return this.wechat.accountOf(parseInput(wechatQuerySchema, query).code);
  }
}
