import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { resolveUsers } from '@tollgate/contracts';
import { Host, InternalClient } from '@tollgate/chassis';
import { AccountService, type Opening } from '../account/account.service.js';
import { FirstTokens } from '../token/first-tokens.js';

/** What a user finds in billing from the first moment: a wallet, and a key where the operator gives one. */
@Injectable()
export class OpeningService {
  constructor(
    private readonly em: EntityManager,
    private readonly accounts: AccountService,
    private readonly firstTokens: FirstTokens,
    private readonly internal: InternalClient,
    private readonly host: Host,
  ) {}

  /** Once; a repeat changes nothing. Answers the shown quota. */
  async open(opening: Opening): Promise<number> {
    const username = await this.whoGetsToken(opening);
    if (username === undefined) return (await this.accounts.open(opening)).quota;
    return this.em.transactional(async () => {
      const { quota, isNew } = await this.accounts.open(opening);
      if (isNew) await this.firstTokens.create(opening.userId, username);
      return quota;
    });
  }

  /** Undefined for whom an administrator made, who comes from another site, or who is gone again. */
  private async whoGetsToken({ userId, kind }: Opening): Promise<string | undefined> {
    if (!this.host.env.GENERATE_DEFAULT_TOKEN || kind !== 'register') return undefined;
    const { users } = await this.internal.call(resolveUsers, { ids: [userId] });
    return users[0]?.username;
  }
}
