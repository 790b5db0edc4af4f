import { EntityManager } from '@mikro-orm/postgresql';
import { Controller } from '@nestjs/common';
import { type EventBatch, userErased } from '@tollgate/contracts';
import { Clock, Lifecycle, Logger } from '@tollgate/chassis';
import { type ErasedUser, ErasedUsers, OnEvent } from '@tollgate/database';
import { TokenBooks } from '../token/token-books.js';
import { Token } from '../token/token.entity.js';

/**
 * Of people who are no longer to be named the books stay as they are: they know them by number. Their keys end, and what they wrote on them
 * and what payment providers told of them goes.
 */
@Controller()
export class PersonConsumer {
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
    // What a request is about is the name of a token; its number stays.
    await em.execute(
      `update "approval" set "subject" = '' where "user_id" = ? and "kind" = 'token-budget' and "subject" <> ''`,
      [userId],
      'run',
    );
    await this.withhold(em, userId);
    return null;
  }

  /** What upstreams said of failed tasks may repeat what the person asked for. */
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
