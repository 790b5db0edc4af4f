import { Controller } from '@nestjs/common';
import {
  type EventBatch,
  type EventEnvelope,
  quotaAdjusted,
  quotaGranted,
  redemptionRedeemed,
  taskRefunded,
  topUpCompleted,
  topUpRefunded,
} from '@tollgate/contracts';
import { OnEvent } from '@tollgate/database';
import { AuditWriter } from '../audit/audit-writer.js';
import { type AuditDraft, adjustmentEntry, refundEntry } from '../audit/audit-rows.js';
import {
  toAdjustmentDraft,
  toGrantDraft,
  toRedemptionDraft,
  toRefundDraft,
  toTaskRefundDraft,
  toTopUpDraft,
} from './account-rows.js';
import type { LogDraft } from '../log/log-row.js';
import { EventPlaces } from '../log/event-places.js';
import { LogWriter } from '../store/log-writer.js';
import { UsageAnnouncer } from '../log/usage-announcer.js';

/** Movements of a wallet other than consumption, as rows of its owner's log. */
@Controller()
export class AccountConsumer {
  constructor(
    private readonly writer: LogWriter,
    private readonly audit: AuditWriter,
    private readonly places: EventPlaces,
    private readonly announcer: UsageAnnouncer,
  ) {}

  @OnEvent(quotaGranted)
  logGrants(batch: EventBatch<typeof quotaGranted>): Promise<void> {
    return this.write(batch, batch.map(toGrantDraft));
  }

  @OnEvent(redemptionRedeemed)
  logRedemptions(batch: EventBatch<typeof redemptionRedeemed>): Promise<void> {
    return this.write(batch, batch.map(toRedemptionDraft));
  }

  @OnEvent(topUpCompleted)
  logTopUps(batch: EventBatch<typeof topUpCompleted>): Promise<void> {
    return this.write(batch, batch.map(toTopUpDraft));
  }

  @OnEvent(topUpRefunded)
  logRefunds(batch: EventBatch<typeof topUpRefunded>): Promise<void> {
    return this.write(batch, batch.map(toRefundDraft), batch.map(refundEntry));
  }

  @OnEvent(taskRefunded)
  logTaskRefunds(batch: EventBatch<typeof taskRefunded>): Promise<void> {
    return this.write(batch, batch.map(toTaskRefundDraft));
  }

  @OnEvent(quotaAdjusted)
  logAdjustments(batch: EventBatch<typeof quotaAdjusted>): Promise<void> {
    return this.write(batch, batch.map(toAdjustmentDraft), batch.map(adjustmentEntry));
  }

  private async write(events: readonly EventEnvelope[], drafts: LogDraft[], entries: AuditDraft[] = []): Promise<void> {
    const names = await this.writer.resolveNames(drafts);
    const written = await this.writer.transactional(async (em) => {
      const rows = await this.writer.write(em, drafts, names);
      await this.audit.write(em, entries);
      await this.places.note(em, events);
      return rows;
    });
    this.announcer.announce(written);
  }
}
