import { Migration } from '@mikro-orm/migrations';

export class Migration20261123030000_lay_down_corrections extends Migration {
  override up(): void {
    // The changes of a correction run may add up to zero.
    this.addSql(`alter table "approval" drop constraint "approval_change_check";`);
    this.addSql(
      `alter table "approval" add constraint "approval_change_check" check ("change" <> 0 or "kind" = 'correction');`,
    );
    this.addSql(`create table "correction_row" (
      "approval_id" int not null,
      "number" int not null,
      "request_id" uuid not null,
      "user_id" int not null,
      "token_id" int not null,
      "model" text not null,
      "group" text not null,
      "channel_id" int not null,
      "charged" bigint not null,
      "rerated" bigint not null,
      primary key ("approval_id", "number"),
      constraint "correction_row_change_check" check ("charged" <> "rerated")
    );`);
    this.addSql(
      `create trigger "correction_row_append_only" before update or delete on "correction_row" for each row execute function "refuse_change"();`,
    );
  }
}
