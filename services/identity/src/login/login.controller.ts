import { Body, Controller, Query, Req, Res, UseGuards } from '@nestjs/common';
import { routes } from '@tollgate/contracts';
import type { SecondStep } from '@tollgate/contracts/api/second-factor';
import type { SessionUser } from '@tollgate/contracts/api/user';
import { type Message, type PlatformRequest, Route } from '@tollgate/chassis';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import type { User } from '../user/user.entity.js';
import { turnstileQuerySchema } from '../verification/turnstile.js';
import { Entry } from './entry.js';
import { PasswordGuard } from './password.guard.js';
import { RegistrationService } from './registration.service.js';
import { SessionService } from './session.service.js';

@Controller()
export class LoginController {
  constructor(
    private readonly sessions: SessionService,
    private readonly entry: Entry,
    private readonly registrations: RegistrationService,
  ) {}

  @Route(routes.login)
  @UseGuards(PasswordGuard)
  login(
    @Req() request: PlatformRequest & { user: User },
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionUser | Message<SecondStep>> {
    return this.entry.byPassword(request.user, { request, reply });
  }

  @Route(routes.logout)
  logout(@Req() request: PlatformRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<void> {
    return this.sessions.close({ request, reply });
  }

  /** The service validates the body, because it first checks whether registration is open. */
  @Route(routes.register)
  async register(
    @Body() body: unknown,
    @Query({ schema: turnstileQuerySchema }) { turnstile }: z.output<typeof turnstileQuerySchema>,
    @Req() request: PlatformRequest,
  ): Promise<void> {
    const session = await this.sessions.of(request);
    await this.registrations.register(body, turnstile, { address: request.ip, session });
  }
}
