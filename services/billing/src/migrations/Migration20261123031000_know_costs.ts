import { Migration } from '@mikro-orm/migrations';

const dayOf = (id: string): string =>
  `(to_timestamp(('x' || translate(left(${id}::text, 13), '-', ''))::bit(48)::bigint / 1000.0) at time zone 'UTC')::date`;

const columns = `"day", "origin", "user_id", "code", "debit", "credit", "group", "channel_id", "model"`;

/**
 * What it was, and beside it what is known of costs: a replica of before books without, and its rows count as unknown. The sums that a closing
 * seals are the ones of before.
 */
const noteStatement = `create or replace function "note_statement"() returns trigger language plpgsql set search_path from current as $$
declare
  closed date;
begin
  -- An import brings the sums along.
  if current_setting('tollgate.importing', true) = 'on' then
    return null;
  end if;
  perform pg_advisory_xact_lock_shared(hashtextextended('tollgate:statement', 0));
  select coalesce(max("until"), '-infinity'::date) into closed from "closed_period";
  insert into "statement_day" (${columns}, "amount", "count", "cost", "costed", "costed_amount")
    select greatest(s."origin", closed), s."origin", s."user_id", s."code", s."debit", s."credit", s."group", s."channel_id", s."model",
      s."amount", s."count", s."cost", s."costed", s."costed_amount"
    from (
      select ${dayOf('"id"')} as "origin", "user_id", "code", split_part("debit", ':', 1) as "debit", split_part("credit", ':', 1) as "credit",
        "group", "channel_id", "model", sum("amount") as "amount", count(*) as "count",
        coalesce(sum("cost"), 0) as "cost", count("cost") as "costed", coalesce(sum("amount") filter (where "cost" is not null), 0) as "costed_amount"
      from "fresh" group by 1, 2, 3, 4, 5, 6, 7, 8
    ) s order by 3, 4, 2, 5, 6, 7, 8, 9
    on conflict (${columns}) do update
      set "amount" = "statement_day"."amount" + excluded."amount", "count" = "statement_day"."count" + excluded."count",
        "cost" = "statement_day"."cost" + excluded."cost", "costed" = "statement_day"."costed" + excluded."costed",
        "costed_amount" = "statement_day"."costed_amount" + excluded."costed_amount";
  return null;
end $$;`;

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
    this.addSql(noteStatement);
  }
}
