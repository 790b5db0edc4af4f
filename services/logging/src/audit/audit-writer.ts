import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { rowset } from '../rowset.js';
import type { AuditDraft } from './audit-rows.js';

const insert = `insert into "audit_entry" ("event_id", "actor_id", "action", "subject", "user_id", "text", "before", "after", "happened_at")
  select e."eventId", e."actorId", e."action", e."subject", e."userId", case when x."erased" then '' else coalesce(e."text", '') end,
    case when x."erased" then bare_record(e."before") else e."before" end, case when x."erased" then bare_record(e."after") else e."after" end,
    e."happenedAt"
  from json_to_recordset(?::json) as e("eventId" uuid, "actorId" int, "action" text, "subject" text, "userId" int, "text" text,
    "before" jsonb, "after" jsonb, "happenedAt" timestamptz)
  cross join lateral (select exists (select from "erased_user" u where u."user_id" = e."userId" or e."subject" = 'user:' || u."user_id") as "erased") x
  order by e."happenedAt", e."eventId"
  on conflict ("event_id") do nothing`;

@Injectable()
export class AuditWriter {
  /**
   * Inserts the entries with one statement in the caller's transaction; entries that already exist are left unchanged.
   */
  async write(em: EntityManager, drafts: readonly AuditDraft[]): Promise<void> {
    if (drafts.length > 0) await em.execute(insert, [rowset(drafts)], 'run');
  }
}
