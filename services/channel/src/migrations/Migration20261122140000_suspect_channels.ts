import { Migration } from '@mikro-orm/migrations';

export class Migration20261122140000_suspect_channels extends Migration {
  override up(): void {
    this.addSql(`create table "channel_suspicion" (
      "channel_id" int primary key references "channel" ("id") on delete cascade, "observed_at" timestamptz not null,
      "reason" text not null, "evidence" jsonb not null, "witnesses" jsonb not null,
      "undecided" int not null default 0, "cleared" int not null default 0, "cleared_at" timestamptz null, "probe_at" timestamptz not null
    );`);
    this.addSql(
      `create index "channel_suspicion_due_index" on "channel_suspicion" ("probe_at") where "cleared_at" is null;`,
    );
    this.addSql(`alter table "channel_transition" add column "outcome" text not null default 'moved';`);
    // For the brake, which counts the automatic disablings within its window.
    this.addSql(`create index "channel_transition_disabled_index" on "channel_transition" ("happened_at")
      where "outcome" = 'moved' and "to_status" = 3;`);
  }
}
