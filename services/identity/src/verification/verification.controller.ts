import { Body, Controller, Headers, Query, Req } from '@nestjs/common';
import { routes } from '@tollgate/contracts';
import { bindEmailSchema, emailQuerySchema, resetPasswordSchema } from '@tollgate/contracts/api/verification';
import { type Caller, CurrentCaller, OptionalCaller, type PlatformRequest, Route } from '@tollgate/chassis';
import type { z } from 'zod';
import { languageOf } from '../mail/language.js';
import { parseInput } from '../parse-input.js';
import { Turnstile, turnstileQuerySchema } from './turnstile.js';
import { VerificationService } from './verification.service.js';

@Controller()
export class VerificationController {
  constructor(
    private readonly verifications: VerificationService,
    private readonly turnstile: Turnstile,
  ) {}

  /**
   * A signed-in user has passed the bot check at sign-in, and must not be locked out while Cloudflare is unreachable.
   */
  @Route(routes.sendVerificationCode)
  async sendCode(
    @Query({ schema: turnstileQuerySchema }) { turnstile }: z.output<typeof turnstileQuerySchema>,
    @OptionalCaller() caller: Caller | undefined,
    @Headers('accept-language') accepted: string | undefined,
    @Req() request: PlatformRequest,
  ): Promise<void> {
    if (!caller) await this.turnstile.check(turnstile, request.ip);
    const { email } = parseInput(emailQuerySchema, request.query);
    await this.verifications.sendCode(email, { language: languageOf(accepted) ?? 'zh', userId: caller?.userId });
  }

  @Route(routes.requestPasswordReset)
  async requestReset(
    @Query({ schema: turnstileQuerySchema }) { turnstile }: z.output<typeof turnstileQuerySchema>,
    @Headers('accept-language') accepted: string | undefined,
    @Req() request: PlatformRequest,
  ): Promise<void> {
    await this.turnstile.check(turnstile, request.ip);
    const { email } = parseInput(emailQuerySchema, request.query);
    await this.verifications.sendReset(email, { language: languageOf(accepted) ?? 'zh' });
  }

  @Route(routes.resetPassword)
  reset(
    @Body({ schema: resetPasswordSchema }) { email, token }: z.output<typeof resetPasswordSchema>,
  ): Promise<string> {
    return this.verifications.reset(email, token);
  }

  @Route(routes.bindEmail)
  async bindEmail(
    @Query({ schema: bindEmailSchema }) { email, code }: z.output<typeof bindEmailSchema>,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    await this.verifications.bindEmail(email, code, caller);
  }
}
