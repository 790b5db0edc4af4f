import { Migration } from '@mikro-orm/migrations';

export class Migration20261122210000_add_tasks extends Migration {
  override up(): void {
    this.addSql(`create table "task" (
      "id" bigserial primary key, "request_id" uuid not null unique, "user_id" int not null, "token_id" int not null,
      "channel_id" int not null, "platform" text not null, "action" text not null, "upstream_id" text not null default '',
      "code" int not null default 0, "quota" bigint not null default 0, "status" text not null default '',
      "progress" text not null default '0%', "prompt" text not null default '', "prompt_en" text not null default '',
      "description" text not null default '', "state" text not null default '', "image_url" text not null default '',
      "fail_reason" text not null default '', "buttons" text not null default '', "properties" text not null default '',
      "data" text not null default '', "submitted_at" timestamptz not null, "started_at" timestamptz null,
      "finished_at" timestamptz null, "settled_at" timestamptz null, "over_at" timestamptz null,
      "is_refunded" boolean not null default false, "poll_at" timestamptz not null, "idle_polls" int not null default 0,
      "created_at" timestamptz not null, "updated_at" timestamptz not null
    );`);
    this.addSql(`create index "task_user_index" on "task" ("user_id", "platform", "id" desc);`);
    this.addSql(`create index "task_platform_index" on "task" ("platform", "id" desc);`);
    this.addSql(`create index "task_channel_index" on "task" ("channel_id", "id" desc);`);
    this.addSql(`create index "task_upstream_index" on "task" ("upstream_id") where "upstream_id" <> '';`);
    this.addSql(`create index "task_due_index" on "task" ("poll_at") where "over_at" is null;`);
  }
}
