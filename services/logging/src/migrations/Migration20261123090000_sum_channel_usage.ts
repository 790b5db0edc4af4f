import { Migration } from '@mikro-orm/migrations';

const key = `"channel_id", "zone", "day", "model", "sent", "source", "shard"`;
const zones = `(values ('UTC'), ('America/Los_Angeles')) as z("zone")`;
const number = (name: string): string => `coalesce((l."other"->>'${name}')::numeric, 0)::bigint`;
/** Milliseconds since the epoch, taken from a time-ordered id. */
const millisecondsOf = (id: string): string => `('x' || translate(left(${id}::text, 13), '-', ''))::bit(48)::bigint`;

/**
 * Sums per channel, model as requested, model as sent, and day of admission, in each time zone by which providers
 * invoice. Only Anthropic's prompt count excludes cached tokens, so these are added. Rows are first summed by hour,
 * because days in these zones begin on the hour.
 */
const sums = (
  which: string,
): string => `select h."channel_id", z."zone", (to_timestamp(h."hour" * 3600) at time zone z."zone")::date as "day", h."model", h."sent", h."source",
    pg_backend_pid() % 8, sum(h."requests"), sum(h."input"), sum(h."cached"), sum(h."output")
  from (
    select l."channel_id", ${millisecondsOf('l."event_id"')} / 3600000 as "hour", l."model_name" as "model",
      coalesce(l."other"->>'upstream_model_name', l."model_name") as "sent", coalesce(l."other"->>'usage_source', 'upstream') as "source",
      count(*) as "requests",
      sum(l."prompt_tokens" + case when l."other"->>'claude' = 'true' then ${number('cache_tokens')} + ${number('cache_creation_tokens')} else 0 end) as "input",
      sum(${number('cache_tokens')}) as "cached", sum(l."completion_tokens") as "output"
    from "fresh" l where ${which} group by 1, 2, 3, 4, 5
  ) h cross join ${zones} group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6`;

/**
 * Called by a trigger for each insert statement, so it works for services of any version; sums keep the rows that are
 * cleared later.
 */
export const noteChannelUsage = (
  which: string,
): string => `create or replace function "note_channel_usage"() returns trigger language plpgsql set search_path from current as $$
begin
  -- An import brings the sums along.
  if current_setting('tollgate.importing', true) = 'on' then
    return null;
  end if;
  insert into "channel_usage" (${key}, "requests", "input", "cached", "output") ${sums(which)}
    on conflict (${key}) do update set "requests" = "channel_usage"."requests" + excluded."requests", "input" = "channel_usage"."input" + excluded."input",
      "cached" = "channel_usage"."cached" + excluded."cached", "output" = "channel_usage"."output" + excluded."output";
  return null;
end $$;`;

/**
 * The first day with complete sums: the day after the one on which this migration ran or, if the clock of a relay is
 * ahead, after the newest row, but not for a row whose time lies far in the future. If there has never been a row, sums
 * are complete from the beginning.
 */
const noteStart = `insert into "channel_usage_start" ("zone", "first_day")
  select z."zone", case when n."milliseconds" is null and not exists (select from "log")
      and not exists (select from "audit_entry" where "action" = 'log-cleared') then '-infinity'::date
    else (greatest(clock_timestamp(), to_timestamp(n."milliseconds" / 1000.0)) at time zone z."zone")::date + 1 end
  from ${zones} left join lateral (
    select ${millisecondsOf('"event_id"')} as "milliseconds" from "log"
    where "event_id" < (lpad(to_hex((extract(epoch from now()) * 1000)::bigint + 86400000), 12, '0') || repeat('0', 20))::uuid
    order by "event_id" desc limit 1
  ) n on true;`;

/** Does not read the whole log: days before the first complete one are summed from their rows on demand. */
export class Migration20261123090000_sum_channel_usage extends Migration {
  override up(): void {
    // Development versions between two releases have created these objects in another form.
    this.addSql(`drop function if exists "note_channel_usage"() cascade;`);
    this.addSql(`drop table if exists "channel_usage", "channel_usage_start";`);
    this.addSql(`create table "channel_usage" (
      "channel_id" int not null,
      "zone" text not null,
      "day" date not null,
      "model" text not null,
      "sent" text not null,
      "source" text not null,
      "shard" smallint not null,
      "requests" bigint not null,
      "input" numeric(38, 0) not null,
      "cached" numeric(38, 0) not null,
      "output" numeric(38, 0) not null,
      primary key (${key})
    ) with (fillfactor = 80);`);
    this.addSql(`create table "channel_usage_start" ("zone" text primary key, "first_day" date not null);`);
    this.addSql(noteChannelUsage(`l."type" = 2 and l."channel_id" > 0`));
    // Writers wait from here to the end of this transaction, which only inserts a few more rows.
    this.addSql(`create trigger "log_channel_usage" after insert on "log" referencing new table as "fresh"
      for each statement execute function "note_channel_usage"();`);
    this.addSql(noteStart);
  }
}
