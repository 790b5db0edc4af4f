import { Migration } from '@mikro-orm/migrations';

export class Migration20261122201000_deliveries extends Migration {
  override up(): void {
    this.addSql(`create table "delivery" (
      "id" serial primary key,
      "source" text not null,
      "user_id" int null,
      "kind" text not null,
      "via" text not null check ("via" in ('mail', 'webhook')),
      "target" text not null,
      "sealed_payload" text null,
      "status" text not null default 'waiting' check ("status" in ('waiting', 'sent', 'failed')),
      "attempts" int not null default 0,
      "reason" text not null default '',
      "next_attempt_at" timestamptz not null,
      "expires_at" timestamptz not null,
      "created_at" timestamptz not null,
      "finished_at" timestamptz null
    )`);
    this.addSql(`create unique index "delivery_source_unique" on "delivery" ("source")`);
    this.addSql(`create index "delivery_waiting_index" on "delivery" ("next_attempt_at") where "status" = 'waiting'`);
    this.addSql(`create index "delivery_user_index" on "delivery" ("user_id", "id")`);
    this.addSql(`create index "delivery_created_at_index" on "delivery" ("created_at")`);
  }
}
