import { Migration } from '@mikro-orm/migrations';

const columns = `"day", "origin", "user_id", "code", "debit", "credit", "group", "channel_id", "model"`;

/** The trigger that maintains these sums, and the summing of older rows, come with a later migration. */
export class Migration20261123000200_add_statements extends Migration {
  override up(): void {
    this.addSql(`alter table "posting" add column "model" text not null default '',
      add column "group" text not null default '', add column "channel_id" int not null default 0;`);
    this.addSql(`create table "closed_period" (
      "id" serial primary key,
      "since" date null,
      "until" date not null,
      "closed_at" timestamptz not null,
      "actor_id" int not null,
      "note" text not null default ''
    );`);
    this.addSql(`alter table "closed_period" add constraint "closed_period_until_unique" unique ("until");`);
    this.addSql(`create table "period_seal" (
      "period_id" int primary key,
      "sealed_at" timestamptz not null,
      "postings" bigint not null,
      "totals" jsonb not null,
      "digest" text not null
    );`);
    this.addSql(`create table "statement_day" (
      "day" date not null,
      "origin" date not null,
      "user_id" int not null,
      "code" text not null,
      "debit" text not null,
      "credit" text not null,
      "group" text not null,
      "channel_id" int not null,
      "model" text not null,
      "amount" numeric(38, 0) not null,
      "count" bigint not null,
      primary key (${columns})
    ) with (fillfactor = 80);`);
    this.addSql(`create index "statement_day_user_id_index" on "statement_day" ("user_id", "day");`);
    for (const table of ['closed_period', 'period_seal'])
      this.addSql(
        `create trigger "${table}_append_only" before update or delete on "${table}" for each row execute function "refuse_change"();`,
      );
  }
}
