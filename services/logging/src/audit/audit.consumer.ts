import { EntityManager } from '@mikro-orm/postgresql';
import { Controller } from '@nestjs/common';
import {
  adminAction,
  channelDisabled,
  channelEnabled,
  type EventBatch,
  type EventOf,
  pricePublished,
} from '@tollgate/contracts';
import { OnEvent } from '@tollgate/database';
import { EventPlaces } from '../log/event-places.js';
import { LogWriter } from '../store/log-writer.js';
import { UsageAnnouncer } from '../log/usage-announcer.js';
import {
  actionEntry,
  type AuditDraft,
  disabledEntries,
  enabledEntries,
  publishedEntry,
  toActionDrafts,
} from './audit-rows.js';
import { AuditWriter } from './audit-writer.js';

/** The only admin action whose event has the id of the posting that it reports. */
const isMovement = ({ data }: EventOf<typeof adminAction>): boolean => data.action === 'token-budget';

@Controller()
export class AuditConsumer {
  constructor(
    private readonly em: EntityManager,
    private readonly audit: AuditWriter,
    private readonly log: LogWriter,
    private readonly places: EventPlaces,
    private readonly announcer: UsageAnnouncer,
  ) {}

  @OnEvent(adminAction)
  async recordActions(batch: EventBatch<typeof adminAction>): Promise<void> {
    const drafts = batch.flatMap(toActionDrafts);
    const names = await this.log.resolveNames(drafts);
    const written = await this.log.transactional(async (em) => {
      await this.audit.write(em, batch.map(actionEntry));
      await this.places.note(em, batch.filter(isMovement));
      return this.log.write(em, drafts, names);
    });
    this.announcer.announce(written);
  }

  @OnEvent(channelDisabled)
  recordDisabled(batch: EventBatch<typeof channelDisabled>): Promise<void> {
    return this.record(batch.flatMap(disabledEntries));
  }

  @OnEvent(channelEnabled)
  recordEnabled(batch: EventBatch<typeof channelEnabled>): Promise<void> {
    return this.record(batch.flatMap(enabledEntries));
  }

  /** The event does not say who changed the prices; the entries about the changed options do. */
  @OnEvent(pricePublished)
  recordPrices(batch: EventBatch<typeof pricePublished>): Promise<void> {
    return this.record(batch.map(publishedEntry));
  }

  private record(drafts: readonly AuditDraft[]): Promise<void> {
    return this.em.transactional((em) => this.audit.write(em, drafts));
  }
}
