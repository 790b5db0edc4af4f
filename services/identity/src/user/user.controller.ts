import { Body, Controller, Headers, Param, Query } from '@nestjs/common';
import { type Page, routes } from '@tollgate/contracts';
import {
  createUserSchema,
  type ManagedUser,
  manageUserSchema,
  type SessionUser,
  updateUserSchema,
  type User as UserReply,
  userListQuerySchema,
  type UserListQuery,
} from '@tollgate/contracts/api/user';
import { type Caller, CurrentCaller, type IdParam, idParamSchema, Route } from '@tollgate/chassis';
import type { z } from 'zod';
import { toSessionUser } from './user.reply.js';
import { UserAdministrationService } from './user-administration.service.js';

@Controller()
export class UserController {
  constructor(private readonly administration: UserAdministrationService) {}

  @Route(routes.listUsers)
  list(@Query({ schema: userListQuerySchema }) query: UserListQuery): Promise<Page<UserReply>> {
    return this.administration.list({ ...query, keyword: '', group: '' });
  }

  @Route(routes.searchUsers)
  search(@Query({ schema: userListQuerySchema }) query: UserListQuery): Promise<Page<UserReply>> {
    return this.administration.list(query);
  }

  @Route(routes.getUser)
  get(@Param({ schema: idParamSchema }) { id }: IdParam, @CurrentCaller() caller: Caller): Promise<UserReply> {
    return this.administration.get(id, caller);
  }

  @Route(routes.createUser)
  async create(
    @Body({ schema: createUserSchema }) body: z.output<typeof createUserSchema>,
    @CurrentCaller() caller: Caller,
  ): Promise<SessionUser> {
    return toSessionUser(await this.administration.create(body, caller));
  }

  @Route(routes.updateUser)
  update(
    @Body({ schema: updateUserSchema }) body: z.output<typeof updateUserSchema>,
    @CurrentCaller() caller: Caller,
    @Headers('idempotency-key') key: string | undefined,
  ): Promise<void> {
    return this.administration.edit(body, caller, key);
  }

  @Route(routes.deleteUser)
  delete(@Param({ schema: idParamSchema }) { id }: IdParam, @CurrentCaller() caller: Caller): Promise<void> {
    return this.administration.delete(id, caller);
  }

  @Route(routes.manageUser)
  manage(
    @Body({ schema: manageUserSchema }) body: z.output<typeof manageUserSchema>,
    @CurrentCaller() caller: Caller,
  ): Promise<ManagedUser> {
    return this.administration.manage(body, caller);
  }
}
