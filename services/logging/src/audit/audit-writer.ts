import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { rowset } from '../rowset.js';
import type { AuditDraft } from './audit-rows.js';

const insert = `insert into "audit_entry" ("event_id", "actor_id", "action", "subject", "user_id", "text", "before", "after", "happened_at")
  select e."eventId", e."actorId", e."action", e."subject", e."userId", coalesce(e."text", ''), e."before", e."after", e."happenedAt"
  from json_to_recordset(?::json) as e("eventId" uuid, "actorId" int, "action" text, "subject" text, "userId" int, "text" text,
    "before" jsonb, "after" jsonb, "happenedAt" timestamptz)
  order by e."happenedAt", e."eventId"
  on conflict ("event_id") do nothing`;

@Injectable()
export class AuditWriter {
  /** One statement in the caller's transaction; what is there already stays as it is. */
  async write(em: EntityManager, drafts: readonly AuditDraft[]): Promise<void> {
    if (drafts.length > 0) await em.execute(insert, [rowset(drafts)], 'run');
  }
}
