import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { resolveUsers } from '@tollgate/contracts';
import { Host, InternalClient } from '@tollgate/chassis';
import { AccountService, type Opening } from '../account/account.service.js';
import { FirstTokens } from '../token/first-tokens.js';

/** Gives a new user a wallet, and a first token where the operator has enabled that. */
@Injectable()
export class OpeningService {
  constructor(
    private readonly em: EntityManager,
    private readonly accounts: AccountService,
    private readonly firstTokens: FirstTokens,
    private readonly internal: InternalClient,
    private readonly host: Host,
  ) {}

  /** Opens the account once; a repetition has no effect. Returns the shown quota. */
  async open(opening: Opening): Promise<number> {
    const username = await this.whoGetsToken(opening);
    if (username === undefined) return (await this.accounts.open(opening)).quota;
    return this.em.transactional(async () => {
      const { quota, isNew } = await this.accounts.open(opening);
      if (isNew) await this.firstTokens.create(opening.userId, username);
      return quota;
    });
  }

  /**
   * The name of a user who gets a first token. `undefined` for users whom an administrator created, who signed in
   * through another site, or who are already deleted.
   */
  private async whoGetsToken({ userId, kind }: Opening): Promise<string | undefined> {
    if (!this.host.env.GENERATE_DEFAULT_TOKEN || kind !== 'register') return undefined;
    const { users } = await this.internal.call(resolveUsers, { ids: [userId] });
    return users[0]?.username;
  }
}
