import { Migration } from '@mikro-orm/migrations';

/** Milliseconds since the epoch of a time-ordered id. */
const millisecondsOf = (id: string): string => `('x' || translate(left(${id}::text, 13), '-', ''))::bit(48)::bigint`;

/** In UTC and with integers: this runs for every booked row, and fractions take twice as long. */
const dayOf = (id: string): string => `date '1970-01-01' + (${millisecondsOf(id)} / 86400000)::int`;

const dayKey = `"day", "origin", "user_id", "code", "debit", "credit", "group", "channel_id", "model"`;

/**
 * Statements are sums of the journal that the trigger of the inserting statement maintains, whoever inserts. The shared
 * lock keeps a closing out, which takes the lock exclusively; so each row is either counted before the closing or sees
 * it. Rows that an older release books have no cost, which counts as unknown.
 *
 * Rows from before the trigger are added by the leader in the order of their ids, up to the fence, the greatest of them
 * at that time. A row that arrives late, with an id below the fence, is counted here where the leader has passed its
 * id, and otherwise left to the leader. A separate lock, which only such rows take, keeps the two apart.
 */
const noteStatement = `create or replace function "note_statement"() returns trigger language plpgsql set search_path from current as $$
declare
  closed date;
  fence uuid;
  passed uuid;
begin
  -- An import brings the sums along.
  if current_setting('tollgate.importing', true) = 'on' then
    return null;
  end if;
  select b."fence" into fence from "statement_backlog" b;
  if fence is not null and exists (select from "fresh" where "id" <= fence) then
    perform pg_advisory_xact_lock_shared(hashtextextended('tollgate:statement-backlog', 0));
    select b."after" into passed from "statement_backlog" b;
  end if;
  perform pg_advisory_xact_lock_shared(hashtextextended('tollgate:statement', 0));
  select coalesce(max("until"), '-infinity'::date) into closed from "closed_period";
  insert into "statement_day" (${dayKey}, "amount", "count", "cost", "costed", "costed_amount")
    select greatest(s."origin", closed), s."origin", s."user_id", s."code", s."debit", s."credit", s."group", s."channel_id", s."model",
      s."amount", s."count", s."cost", s."costed", s."costed_amount"
    from (
      select ${dayOf('"id"')} as "origin", "user_id", "code", split_part("debit", ':', 1) as "debit", split_part("credit", ':', 1) as "credit",
        "group", "channel_id", "model", sum("amount") as "amount", count(*) as "count",
        coalesce(sum("cost"), 0) as "cost", count("cost") as "costed", coalesce(sum("amount") filter (where "cost" is not null), 0) as "costed_amount"
      from "fresh" where passed is null or "id" <= passed or "id" > fence group by 1, 2, 3, 4, 5, 6, 7, 8
    ) s order by 3, 4, 2, 5, 6, 7, 8, 9
    on conflict (${dayKey}) do update
      set "amount" = "statement_day"."amount" + excluded."amount", "count" = "statement_day"."count" + excluded."count",
        "cost" = "statement_day"."cost" + excluded."cost", "costed" = "statement_day"."costed" + excluded."costed",
        "costed_amount" = "statement_day"."costed_amount" + excluded."costed_amount";
  return null;
end $$;`;

/**
 * From here on bookings wait for the end of this transaction, which only has one more row to insert. Where the trigger
 * exists already, no sums are missing.
 */
const beginStatements = `do $$
begin
  if exists (select from pg_trigger where "tgrelid" = '"posting"'::regclass and "tgname" = 'posting_statement') then
    return;
  end if;
  create trigger "posting_statement" after insert on "posting" referencing new table as "fresh"
    for each statement execute function "note_statement"();
  insert into "statement_backlog" ("id", "after", "fence")
    select 1, '00000000-0000-0000-0000-000000000000', "id" from "posting" order by "id" desc limit 1;
end $$;`;

const channelKey = `"channel_id", "zone", "day", "model", "sent", "shard"`;
const zones = `(values ('UTC'), ('America/Los_Angeles')) as z("zone")`;

/**
 * Sums of what channels sold, by days in each time zone that invoices use, and by the model name that was sent, by
 * which the provider bills; failed requests, which cost nothing, are not counted. All users share a channel's rows, so
 * each day has several, chosen by the connection that writes; bookings then seldom wait for each other. Rows are first
 * summed by hour, at which days of these zones begin, so that the time zone is converted once per hour rather than per
 * row.
 */
const noteChannelDay = `create or replace function "note_channel_day"() returns trigger language plpgsql set search_path from current as $$
begin
  -- An import brings the sums along.
  if current_setting('tollgate.importing', true) = 'on' then
    return null;
  end if;
  insert into "channel_day" (${channelKey}, "requests", "sales", "cost", "costed")
    select h."channel_id", z."zone", (to_timestamp(h."hour" * 3600) at time zone z."zone")::date as "day", h."model", h."sent", pg_backend_pid() % 8,
      sum(h."requests"), sum(h."sales"), sum(h."cost"), sum(h."costed")
    from (
      select p."channel_id", p."model", p."upstream_model" as "sent", ${millisecondsOf('p."id"')} / 3600000 as "hour", count(*) as "requests",
        sum(p."amount") as "sales", coalesce(sum(p."cost"), 0) as "cost", count(p."cost") as "costed"
      from "fresh" p where p."code" = 'consumption' and p."reason" is distinct from 'failed' and p."channel_id" > 0 group by 1, 2, 3, 4
    ) h cross join ${zones} group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (${channelKey}) do update set "requests" = "channel_day"."requests" + excluded."requests", "sales" = "channel_day"."sales" + excluded."sales",
      "cost" = "channel_day"."cost" + excluded."cost", "costed" = "channel_day"."costed" + excluded."costed";
  return null;
end $$;`;

/** Does not read the journal; old rows are added to the sums of statements in batches, while the services run. */
export class Migration20261123100000_sum_before extends Migration {
  override up(): void {
    this.addSql(`create table "statement_backlog" (
      "id" int primary key check ("id" = 1),
      "after" uuid not null,
      "fence" uuid not null
    );`);
    this.addSql(noteStatement);
    // Empty: unknown, as in older rows.
    this.addSql(`alter table "posting" add column "upstream_model" text not null default '';`);
    this.addSql(`alter table "channel_day" add column "sent" text not null default '';`);
    this.addSql(`alter table "channel_day" drop constraint "channel_day_pkey", add primary key (${channelKey});`);
    // Rows of single connections, which are merged into one after the day is over.
    this.addSql(`create index "channel_day_apart_index" on "channel_day" ("day") where "shard" <> 0;`);
    this.addSql(noteChannelDay);
    this.addSql(beginStatements);
  }
}
