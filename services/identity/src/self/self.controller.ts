import { Body, Controller, Headers, Req, Res } from '@nestjs/common';
import { routes } from '@tollgate/contracts';
import { updateSelfSchema, updateUserSettingSchema, type User as UserReply } from '@tollgate/contracts/api/user';
import { type Caller, CurrentCaller, Message, type PlatformRequest, Route } from '@tollgate/chassis';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import { languageOf } from '../mail/language.js';
import { AccessTokens } from '../user/access-tokens.js';
import { SelfService } from './self.service.js';

@Controller()
export class SelfController {
  constructor(
    private readonly self: SelfService,
    private readonly accessTokens: AccessTokens,
  ) {}

  @Route(routes.getSelf)
  read(@CurrentCaller() caller: Caller): Promise<UserReply> {
    return this.self.read(caller.userId);
  }

  @Route(routes.updateSelf)
  update(
    @Body({ schema: updateSelfSchema }) body: z.output<typeof updateSelfSchema>,
    @CurrentCaller() caller: Caller,
    @Req() request: PlatformRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    return this.self.update(body, caller, { request, reply });
  }

  @Route(routes.deleteSelf)
  delete(
    @CurrentCaller() caller: Caller,
    @Req() request: PlatformRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    return this.self.delete(caller, { request, reply });
  }

  /** The token is shown only in this reply; only its hash is stored. */
  @Route(routes.createAccessToken)
  createAccessToken(@CurrentCaller() caller: Caller): Promise<string> {
    return this.accessTokens.issue(caller);
  }

  @Route(routes.updateUserSetting)
  async updateSetting(
    @Body({ schema: updateUserSettingSchema }) body: z.output<typeof updateUserSettingSchema>,
    @CurrentCaller() caller: Caller,
    @Headers('accept-language') accepted: string | undefined,
  ): Promise<Message> {
    await this.self.updateSetting(body, caller.userId, languageOf(accepted));
    return new Message('设置已更新');
  }
}
