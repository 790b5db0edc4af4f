import { EntityManager } from '@mikro-orm/postgresql';
import { Controller } from '@nestjs/common';
import { type EventBatch, quotaAdjusted, quotaGranted } from '@tollgate/contracts';
import { OnEvent } from '@tollgate/database';
import { AuditWriter } from '../audit/audit-writer.js';
import { adjustmentEntry } from '../audit/audit-rows.js';
import { toAdjustmentDraft, toGrantDraft } from './account-rows.js';
import { LogWriter } from '../log/log-writer.js';
import { UsageNews } from '../log/usage-news.js';

/** What happened to a wallet besides consumption, as its owner reads it. */
@Controller()
export class AccountConsumer {
  constructor(
    private readonly em: EntityManager,
    private readonly writer: LogWriter,
    private readonly audit: AuditWriter,
    private readonly news: UsageNews,
  ) {}

  @OnEvent(quotaGranted)
  async logGrants(batch: EventBatch<typeof quotaGranted>): Promise<void> {
    const drafts = batch.map(toGrantDraft);
    const names = await this.writer.resolveNames(drafts);
    this.news.tell(await this.em.transactional((em) => this.writer.write(em, drafts, names)));
  }

  @OnEvent(quotaAdjusted)
  async logAdjustments(batch: EventBatch<typeof quotaAdjusted>): Promise<void> {
    const drafts = batch.map(toAdjustmentDraft);
    const names = await this.writer.resolveNames(drafts);
    const written = await this.em.transactional(async (em) => {
      const rows = await this.writer.write(em, drafts, names);
      await this.audit.write(em, batch.map(adjustmentEntry));
      return rows;
    });
    this.news.tell(written);
  }
}
