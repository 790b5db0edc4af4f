import { Migration } from '@mikro-orm/migrations';

export class Migration20261122201500_add_top_up_orders extends Migration {
  override up(): void {
    this.addSql(`create table "top_up_order" (
      "id" serial primary key,
      "user_id" int not null,
      "trade_no" text not null,
      "provider" text not null,
      "method" text not null,
      "merchant" text not null,
      "status" text not null default 'pending',
      "amount" bigint not null,
      "quota" bigint not null,
      "money" text not null,
      "currency" text not null,
      "created_at" timestamptz not null,
      "expires_at" timestamptz not null,
      "paid_at" timestamptz null,
      "refunded_at" timestamptz null,
      constraint "top_up_order_quota_check" check ("quota" > 0)
    );`);
    this.addSql(`alter table "top_up_order" add constraint "top_up_order_trade_no_unique" unique ("trade_no");`);
    this.addSql(`create index "top_up_order_user_id_index" on "top_up_order" ("user_id", "id");`);
    this.addSql(
      `create index "top_up_order_pending_index" on "top_up_order" ("expires_at") where "status" = 'pending';`,
    );
    this.addSql(`create table "top_up_step" (
      "id" bigserial primary key,
      "order_id" int null,
      "trade_no" text not null,
      "happened_at" timestamptz not null,
      "kind" text not null,
      "verdict" text not null default '',
      "from_status" text not null default '',
      "to_status" text not null default '',
      "actor_id" int not null default 0,
      "raw" text null,
      "reason" text not null default ''
    );`);
    this.addSql(`create index "top_up_step_order_id_index" on "top_up_step" ("order_id", "id");`);
    this.addSql(
      `create trigger "top_up_step_append_only" before update or delete on "top_up_step" for each row execute function "refuse_change"();`,
    );
  }
}
