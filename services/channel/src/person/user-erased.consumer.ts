import { EntityManager } from '@mikro-orm/postgresql';
import { Controller } from '@nestjs/common';
import { type EventBatch, userErased } from '@tollgate/contracts';
import { Lifecycle, Logger } from '@tollgate/chassis';
import { type ErasedUser, ErasedUsers, OnEvent } from '@tollgate/database';
import { WITHHELD } from '../task/task-progress.js';

const WORDS = ['prompt', 'prompt_en', 'description', 'state', 'image_url', 'buttons', 'properties', 'data'] as const;

/** Erases persons from tasks; numbers and states are kept. */
@Controller()
export class UserErasedConsumer {
  readonly erased: ErasedUsers;

  constructor(em: EntityManager, lifecycle: Lifecycle, logger: Logger) {
    this.erased = new ErasedUsers(em, { lifecycle, logger }, sweepTasks);
  }

  @OnEvent(userErased)
  erase(batch: EventBatch<typeof userErased>): Promise<void> {
    return this.erased.note(batch);
  }
}

async function sweepTasks(em: EntityManager, { userId }: ErasedUser): Promise<null> {
  await em.execute(
    `update "task" set ${WORDS.map((word) => `"${word}" = ''`).join(', ')},
       "fail_reason" = case when "fail_reason" = '' then '' else ? end
     where "user_id" = ? and (${WORDS.map((word) => `"${word}" <> ''`).join(' or ')} or "fail_reason" not in ('', ?))`,
    [WITHHELD, userId, WITHHELD],
    'run',
  );
  return null;
}
