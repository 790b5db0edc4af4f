import { Migration } from '@mikro-orm/migrations';

export class Migration20261123031000_know_costs extends Migration {
  override up(): void {
    this.addSql(`create table "channel_cost" (
      "id" serial primary key,
      "channel_id" int not null,
      "model" text not null,
      "terms" jsonb null,
      "actor_id" int not null,
      "created_at" timestamptz not null
    );`);
    this.addSql(`create index "channel_cost_channel_id_index" on "channel_cost" ("channel_id", "id");`);
    this.addSql(
      `create trigger "channel_cost_append_only" before update or delete on "channel_cost" for each row execute function "refuse_change"();`,
    );
    this.addSql(`alter table "posting" add column "cost" bigint null, add column "cost_version" int null;`);
    this.addSql(`alter table "statement_day" add column "cost" numeric(38, 0) not null default 0,
      add column "costed" bigint not null default 0, add column "costed_amount" numeric(38, 0) not null default 0;`);
  }
}
