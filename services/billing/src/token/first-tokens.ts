import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Clock, SecretBox } from '@tollgate/chassis';
import { lengthFault, textLimits } from '@tollgate/contracts/text-limits';
import { TokenBooks } from './token-books.js';
import { newTokenKey, sealTokenKey } from './token-key.js';
import { Token } from './token.entity.js';

/** Only shown, since the token is unlimited. */
const BUDGET = 500_000;

/** Creates a first token for a new user, so that the user can begin at once. */
@Injectable()
export class FirstTokens {
  constructor(
    private readonly em: EntityManager,
    private readonly books: TokenBooks,
    private readonly secrets: SecretBox,
    private readonly clock: Clock,
  ) {}

  /** Joins the caller's transaction. */
  async create(userId: number, username: string): Promise<void> {
    const token = this.em.create(Token, {
      userId,
      name: firstTokenName(username),
      ...sealTokenKey(this.secrets, newTokenKey()),
      unlimitedQuota: true,
      createdTime: this.clock.seconds(),
    });
    await this.em.flush();
    await this.books.setBudget(token, BUDGET, { actorId: userId });
    await this.books.announce(token);
    await this.books.record(token, 'token-create', { unattended: true });
  }
}

/** The documented name, shortened so that the owner can save the token under it. */
function firstTokenName(username: string): string {
  const letters = Array.from(username);
  const nameOf = (): string => `${letters.join('')}的初始令牌`;
  while (lengthFault(nameOf(), textLimits.tokenName)) letters.pop();
  return nameOf();
}
