import { EntityManager } from '@mikro-orm/postgresql';
import { Controller } from '@nestjs/common';
import { type EventBatch, userErased } from '@tollgate/contracts';
import { Clock, Lifecycle, Logger } from '@tollgate/chassis';
import { type ErasedUser, ErasedUsers, OnEvent } from '@tollgate/database';
import { TokenBooks } from '../token/token-books.js';
import { Token } from '../token/token.entity.js';

/**
 * Erases a person from billing. The journal stays as it is, since it identifies people only by number. Their tokens are
 * ended, and the texts on these are erased, as are payment providers' messages.
 */
@Controller()
export class UserErasedConsumer {
  readonly erased: ErasedUsers;

  constructor(
    em: EntityManager,
    lifecycle: Lifecycle,
    logger: Logger,
    private readonly books: TokenBooks,
    private readonly clock: Clock,
  ) {
    this.erased = new ErasedUsers(em, { lifecycle, logger }, (pass, user) => this.sweep(pass, user));
  }

  @OnEvent(userErased)
  erase(batch: EventBatch<typeof userErased>): Promise<void> {
    return this.erased.note(batch);
  }

  private async sweep(em: EntityManager, { userId }: ErasedUser): Promise<null> {
    // All of them, before the first change takes the lock of the revision: a booking locks tokens and then the revision.
    await em.execute(`select 1 from "token" where "user_id" = ? order by "id" for update`, [userId]);
    await this.endTokens(em, userId);
    await em.execute(
      `update "token" set "name" = '', "key_sealed" = '', "allow_ips" = ''
       where "user_id" = ? and ("name" <> '' or "key_sealed" <> '' or "allow_ips" <> '')`,
      [userId],
      'run',
    );
    await em.execute(`select set_config('tollgate.erasing', 'on', true)`, [], 'run');
    await em.execute(
      `update "top_up_step" set "raw" = null where "raw" is not null and "order_id" in (select "id" from "top_up_order" where "user_id" = ?)`,
      [userId],
      'run',
    );
    // The request's subject is the name of a token; the token's number stays.
    await em.execute(
      `update "approval" set "subject" = '' where "user_id" = ? and "kind" = 'token-budget' and "subject" <> ''`,
      [userId],
      'run',
    );
    await this.withhold(em, userId);
    return null;
  }

  /** The upstream's reason for a failed task may repeat the prompt. */
  private async withhold(em: EntityManager, userId: number): Promise<void> {
    await em.execute(
      `update "task_refund" set "task" = jsonb_set("task", '{failReason}', '""')
       where ("task" ->> 'userId')::int = ? and coalesce("task" ->> 'failReason', '') <> ''`,
      [userId],
      'run',
    );
  }

  private async endTokens(em: EntityManager, userId: number): Promise<void> {
    const tokens = await em.find(Token, { userId, deletedAt: null }, { orderBy: { id: 'asc' }, refresh: true });
    for (const token of tokens) {
      token.deletedAt = new Date(this.clock.now());
      await this.books.announce(token);
    }
  }
}
