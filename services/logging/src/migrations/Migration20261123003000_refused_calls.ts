import { Migration } from '@mikro-orm/migrations';

/** Adds the refused calls per minute, and an index of the audit log by time. */
export class Migration20261123003000_refused_calls extends Migration {
  override up(): void {
    this.addSql(`create table "refused_calls" (
      "batch_id" uuid not null,
      "position" int not null,
      "minute" bigint not null,
      "reason" text not null,
      "status" int not null,
      "message" text not null,
      "token_id" int not null,
      "user_id" int not null,
      "model" text not null,
      "count" bigint not null,
      "request_ids" jsonb not null,
      primary key ("batch_id", "position")
    );`);
    this.addSql(`create index "refused_calls_minute_index" on "refused_calls" ("minute");`);
    this.addSql(`create index "audit_entry_happened_at_index" on "audit_entry" ("happened_at", "event_id");`);
  }
}
