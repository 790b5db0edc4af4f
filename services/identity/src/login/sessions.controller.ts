import { Controller, Param, Req, Res } from '@nestjs/common';
import { routes } from '@tollgate/contracts';
import { MAX_ID } from '@tollgate/contracts/api/fields';
import type { SignIn } from '@tollgate/contracts/api/session';
import {
  type Caller,
  CurrentCaller,
  type IdParam,
  idParamSchema,
  type PlatformRequest,
  Route,
} from '@tollgate/chassis';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { SessionListService } from './session-list.service.js';

const sessionParamSchema = z.object({ session: z.coerce.number().int().positive().max(MAX_ID) });
const userSessionSchema = sessionParamSchema.and(idParamSchema);

@Controller()
export class SessionsController {
  constructor(private readonly sessions: SessionListService) {}

  @Route(routes.listSessions)
  list(@CurrentCaller() { userId }: Caller, @Req() request: PlatformRequest): Promise<SignIn[]> {
    return this.sessions.ofSelf(userId, request);
  }

  @Route(routes.endOtherSessions)
  endOthers(
    @CurrentCaller() caller: Caller,
    @Req() request: PlatformRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    return this.sessions.endOthers(caller, { request, reply });
  }

  @Route(routes.endSession)
  end(
    @Param({ schema: sessionParamSchema }) { session }: z.output<typeof sessionParamSchema>,
    @CurrentCaller() { userId }: Caller,
  ): Promise<void> {
    return this.sessions.endOfSelf(session, userId);
  }

  @Route(routes.listUserSessions)
  listOfUser(@Param({ schema: idParamSchema }) { id }: IdParam, @CurrentCaller() caller: Caller): Promise<SignIn[]> {
    return this.sessions.ofUser(id, caller);
  }

  @Route(routes.endUserSessions)
  endAllOfUser(@Param({ schema: idParamSchema }) { id }: IdParam, @CurrentCaller() caller: Caller): Promise<void> {
    return this.sessions.endAllOfUser(id, caller);
  }

  @Route(routes.endUserSession)
  endOfUser(
    @Param({ schema: userSessionSchema }) { id, session }: z.output<typeof userSessionSchema>,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    return this.sessions.endOfUser(session, id, caller);
  }
}
