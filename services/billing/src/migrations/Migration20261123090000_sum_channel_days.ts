import { Migration } from '@mikro-orm/migrations';

const key = `"channel_id", "zone", "day", "model", "shard"`;
const zones = `(values ('UTC'), ('America/Los_Angeles')) as z("zone")`;
/** Milliseconds since the epoch of a time-ordered id. */
const millisecondsOf = (id: string): string => `('x' || translate(left(${id}::text, 13), '-', ''))::bit(48)::bigint`;

/**
 * Sums of what channels sold, by days in each time zone that invoices use; failed requests, which cost nothing, are not
 * counted. Maintained by the statement that adds to the journal, like statements. All users share a channel's rows, so
 * each day has several, chosen by the connection that writes; bookings then seldom wait for each other. Rows are first
 * summed by hour, at which days of these zones begin, so that the time zone is converted once per hour rather than per
 * row.
 */
const noteChannelDay = `create function "note_channel_day"() returns trigger language plpgsql set search_path from current as $$
begin
  -- An import brings the sums along.
  if current_setting('tollgate.importing', true) = 'on' then
    return null;
  end if;
  insert into "channel_day" (${key}, "requests", "sales", "cost", "costed")
    select h."channel_id", z."zone", (to_timestamp(h."hour" * 3600) at time zone z."zone")::date as "day", h."model", pg_backend_pid() % 8,
      sum(h."requests"), sum(h."sales"), sum(h."cost"), sum(h."costed")
    from (
      select p."channel_id", p."model", ${millisecondsOf('p."id"')} / 3600000 as "hour", count(*) as "requests", sum(p."amount") as "sales",
        coalesce(sum(p."cost"), 0) as "cost", count(p."cost") as "costed"
      from "fresh" p where p."code" = 'consumption' and p."reason" is distinct from 'failed' and p."channel_id" > 0 group by 1, 2, 3
    ) h cross join ${zones} group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (${key}) do update set "requests" = "channel_day"."requests" + excluded."requests", "sales" = "channel_day"."sales" + excluded."sales",
      "cost" = "channel_day"."cost" + excluded."cost", "costed" = "channel_day"."costed" + excluded."costed";
  return null;
end $$;`;

/**
 * The first day that the sums cover completely: the day after they began, or after the newest row where another clock
 * is ahead of ours. Rows dated more than a day ahead are ignored. In an empty journal the sums are complete from the
 * beginning.
 */
const noteStart = `insert into "channel_day_start" ("zone", "first_day")
  select z."zone", case when n."milliseconds" is null and not exists (select from "posting") then '-infinity'::date
    else (greatest(clock_timestamp(), to_timestamp(n."milliseconds" / 1000.0)) at time zone z."zone")::date + 1 end
  from ${zones} left join lateral (
    select ${millisecondsOf('"id"')} as "milliseconds" from "posting"
    where "id" < (lpad(to_hex((extract(epoch from now()) * 1000)::bigint + 86400000), 12, '0') || repeat('0', 20))::uuid
    order by "id" desc limit 1
  ) n on true;`;

/** Does not read the journal; days before the first complete one are added up from its rows on demand. */
export class Migration20261123090000_sum_channel_days extends Migration {
  override up(): void {
    // Commits between two releases created these objects differently.
    this.addSql(`drop function if exists "note_channel_day"() cascade;`);
    this.addSql(`drop table if exists "channel_day", "channel_day_start";`);
    this.addSql(`create table "channel_day" (
      "channel_id" int not null,
      "zone" text not null,
      "day" date not null,
      "model" text not null,
      "shard" smallint not null,
      "requests" bigint not null,
      "sales" numeric(38, 0) not null,
      "cost" numeric(38, 0) not null,
      "costed" bigint not null,
      primary key (${key})
    ) with (fillfactor = 80);`);
    this.addSql(`create table "channel_day_start" ("zone" text primary key, "first_day" date not null);`);
    this.addSql(noteChannelDay);
    // From here on bookings wait for the end of this transaction, which only has one more row to insert.
    this.addSql(`create trigger "posting_channel_day" after insert on "posting" referencing new table as "fresh"
      for each statement execute function "note_channel_day"();`);
    this.addSql(noteStart);
  }
}
