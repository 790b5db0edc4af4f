import { EntityManager } from '@mikro-orm/postgresql';
import { Controller } from '@nestjs/common';
import { type EventBatch, userErased } from '@tollgate/contracts';
import { Lifecycle, Logger } from '@tollgate/chassis';
import { ErasedUsers, OnEvent } from '@tollgate/database';
import { LogStore } from '../store/log-store.js';
import { sweepPerson } from './sweep.js';

/** Removes the names of erased persons from the logs. */
@Controller()
export class UserErasedConsumer {
  readonly erased: ErasedUsers;

  constructor(em: EntityManager, store: LogStore, lifecycle: Lifecycle, logger: Logger) {
    this.erased = new ErasedUsers(em, { lifecycle, logger }, (em, user) => sweepPerson(store, em, user));
  }

  @OnEvent(userErased)
  erase(batch: EventBatch<typeof userErased>): Promise<void> {
    return this.erased.note(batch);
  }
}
