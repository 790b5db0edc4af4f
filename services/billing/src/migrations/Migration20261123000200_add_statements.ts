import { Migration } from '@mikro-orm/migrations';

/** Days are UTC and follow from the time that an id carries; what comes after its day was closed counts for the first open one. */
const dayOf = (id: string): string =>
  `(to_timestamp(('x' || translate(left(${id}::text, 13), '-', ''))::bit(48)::bigint / 1000.0) at time zone 'UTC')::date`;

const columns = `"day", "origin", "user_id", "code", "debit", "credit", "group", "channel_id", "model"`;

/** Accounts by what they are, without whose they are. */
const sums = (source: string): string => `select ${dayOf('"id"')} as "origin", "user_id", "code",
    split_part("debit", ':', 1) as "debit", split_part("credit", ':', 1) as "credit", "group", "channel_id", "model",
    sum("amount") as "amount", count(*) as "count" from ${source} group by 1, 2, 3, 4, 5, 6, 7, 8`;

/**
 * Statements are sums of the journal, kept by the same statement that adds to it, whoever makes it. The shared lock keeps a closing from
 * coming between: whoever closes takes it alone, so each row is in before the closing or sees it.
 */
const noteStatement = `create function "note_statement"() returns trigger language plpgsql set search_path from current as $$
declare
  closed date;
begin
  -- An import brings the sums along.
  if current_setting('tollgate.importing', true) = 'on' then
    return null;
  end if;
  perform pg_advisory_xact_lock_shared(hashtextextended('tollgate:statement', 0));
  select coalesce(max("until"), '-infinity'::date) into closed from "closed_period";
  insert into "statement_day" (${columns}, "amount", "count")
    select greatest(s."origin", closed), s."origin", s."user_id", s."code", s."debit", s."credit", s."group", s."channel_id", s."model",
      s."amount", s."count"
    from (${sums('"fresh"')}) s order by 3, 4, 2, 5, 6, 7, 8, 9
    on conflict (${columns}) do update
      set "amount" = "statement_day"."amount" + excluded."amount", "count" = "statement_day"."count" + excluded."count";
  return null;
end $$;`;

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
    this.addSql(noteStatement);
    // Nobody books between the sums of what is there and the first of what comes.
    this.addSql(`lock table "posting" in share row exclusive mode;`);
    this.addSql(
      `insert into "statement_day" (${columns}, "amount", "count")
       select s."origin", s."origin", s."user_id", s."code", s."debit", s."credit", s."group", s."channel_id", s."model", s."amount", s."count"
       from (${sums('"posting"')}) s;`,
    );
    this.addSql(`create trigger "posting_statement" after insert on "posting" referencing new table as "fresh"
      for each statement execute function "note_statement"();`);
  }
}
