import { Migration } from '@mikro-orm/migrations';

export class Migration20261123000100_add_approvals extends Migration {
  override up(): void {
    this.addSql(`create table "approval" (
      "id" serial primary key,
      "kind" text not null,
      "status" text not null default 'pending',
      "command" text not null,
      "user_id" int not null,
      "token_id" int not null default 0,
      "change" bigint not null,
      "subject" text not null default '',
      "reason" text not null default '',
      "payload" jsonb not null,
      "requester_id" int not null,
      "created_at" timestamptz not null,
      "expires_at" timestamptz not null,
      "decider_id" int null,
      "decided_at" timestamptz null,
      "note" text not null default '',
      constraint "approval_change_check" check ("change" <> 0),
      constraint "approval_four_eyes_check" check ("status" <> 'approved' or ("decider_id" is not null and "decider_id" <> "requester_id"))
    );`);
    this.addSql(`alter table "approval" add constraint "approval_command_unique" unique ("command");`);
    this.addSql(`create index "approval_status_index" on "approval" ("status", "id");`);
    this.addSql(`create index "approval_pending_index" on "approval" ("expires_at") where "status" = 'pending';`);
  }
}
