import { Body, Controller, Req, Res } from '@nestjs/common';
import { routes } from '@tollgate/contracts';
import {
  passkeyBeginSchema,
  passkeyLoginSchema,
  type SecondStep,
  secondStepCodeSchema,
} from '@tollgate/contracts/api/second-factor';
import type { SessionUser } from '@tollgate/contracts/api/user';
import { type PlatformRequest, Route } from '@tollgate/chassis';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import { Entry } from './entry.js';

@Controller()
export class SecondStepController {
  constructor(private readonly entry: Entry) {}

  @Route(routes.getSecondStep)
  read(@Req() request: PlatformRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<SecondStep> {
    return this.entry.pendingStep({ request, reply });
  }

  @Route(routes.finishSecondStep)
  finish(
    @Body({ schema: secondStepCodeSchema }) { code }: z.output<typeof secondStepCodeSchema>,
    @Req() request: PlatformRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionUser> {
    return this.entry.finishByCode(code, { request, reply });
  }

  @Route(routes.beginPasskeyLogin)
  beginPasskey(
    @Body({ schema: passkeyBeginSchema }) { second_step: secondStep }: z.output<typeof passkeyBeginSchema>,
    @Req() request: PlatformRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    return this.entry.requestPasskey({ request, reply }, secondStep);
  }

  @Route(routes.finishPasskeyLogin)
  finishPasskey(
    @Body({ schema: passkeyLoginSchema }) body: z.output<typeof passkeyLoginSchema>,
    @Req() request: PlatformRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionUser> {
    return this.entry.finishByPasskey(body, { request, reply });
  }
}
