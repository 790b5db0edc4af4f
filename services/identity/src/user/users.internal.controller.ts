import { EntityManager } from '@mikro-orm/postgresql';
import { Body, Controller } from '@nestjs/common';
import { nameUsers, pollIdentity, resolveAccessToken, resolveUsers, type UserRecord } from '@tollgate/contracts';
import { Answers } from '@tollgate/chassis';
import type { z } from 'zod';
import { currentRevisions } from '../revision/revisions.js';
import { AccessTokens } from './access-tokens.js';
import { User } from './user.entity.js';
import { findChangedSince } from './user.queries.js';
import { toUserRecord } from './user.reply.js';

@Controller()
export class UsersInternalController {
  constructor(
    private readonly em: EntityManager,
    private readonly accessTokens: AccessTokens,
  ) {}

  @Answers(resolveUsers)
  async resolve(
    @Body({ schema: resolveUsers.input }) { ids }: z.output<typeof resolveUsers.input>,
  ): Promise<{ users: UserRecord[] }> {
    const users = await this.em.find(User, { id: { $in: ids }, deletedAt: null });
    return { users: users.map(toUserRecord) };
  }

  @Answers(nameUsers)
  async name(
    @Body({ schema: nameUsers.input }) { ids }: z.output<typeof nameUsers.input>,
  ): Promise<z.output<typeof nameUsers.output>> {
    const users = await this.em.find(User, { id: { $in: ids } }, { fields: ['username'] });
    return { names: Object.fromEntries(users.map(({ id, username }) => [String(id), username])) };
  }

  @Answers(resolveAccessToken)
  async resolveToken(
    @Body({ schema: resolveAccessToken.input }) { accessToken }: z.output<typeof resolveAccessToken.input>,
  ): Promise<z.output<typeof resolveAccessToken.output>> {
    return { userId: await this.accessTokens.ownerOf(accessToken) };
  }

  /** Reads the revision before the list: a user changed in between is then reported twice rather than never. */
  @Answers(pollIdentity)
  async poll(
    @Body({ schema: pollIdentity.input }) { usersSince }: z.output<typeof pollIdentity.input>,
  ): Promise<z.output<typeof pollIdentity.output>> {
    const { option, user } = await currentRevisions(this.em);
    const { ids, complete } =
      usersSince >= user ? { ids: [], complete: true } : await findChangedSince(this.em, usersSince);
    return { optionRevision: option, userRevision: user, changedUserIds: ids, complete };
  }
}
