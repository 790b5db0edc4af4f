import { Migration } from '@mikro-orm/migrations';

const key = `"channel_id", "zone", "day", "model", "shard"`;
const zones = `(values ('UTC'), ('America/Los_Angeles')) as z("zone")`;
/** Milliseconds since the epoch of a time-ordered id. */
const millisecondsOf = (id: string): string => `('x' || translate(left(${id}::text, 13), '-', ''))::bit(48)::bigint`;

/**
 * What channels sold, by the days of each clock that an invoice goes by; requests that cost nobody anything because they failed are none. Kept by
 * the statement that adds to the journal, as statements are. A channel is everybody's, so a day has some rows by the connection that wrote, and
 * who books seldom waits for another. Rows are first summed by the hour, with which days begin on these clocks: a clock is asked once for each.
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
 * The day after the one in which the sums began, or after the newest row where a clock goes before ours; of a row that says it is of another year
 * nobody waits for the end. Without rows there is nothing that the sums could lack.
 */
const noteStart = `insert into "channel_day_start" ("zone", "first_day")
  select z."zone", case when n."milliseconds" is null and not exists (select from "posting") then '-infinity'::date
    else (greatest(clock_timestamp(), to_timestamp(n."milliseconds" / 1000.0)) at time zone z."zone")::date + 1 end
  from ${zones} left join lateral (
    select ${millisecondsOf('"id"')} as "milliseconds" from "posting"
    where "id" < (lpad(to_hex((extract(epoch from now()) * 1000)::bigint + 86400000), 12, '0') || repeat('0', 20))::uuid
    order by "id" desc limit 1
  ) n on true;`;

/** No pass over the journal: days before the first whole one are added up from its rows when somebody asks. */
export class Migration20261123090000_sum_channel_days extends Migration {
  override up(): void {
    // Commits between two releases made them in another way.
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
    // Whoever books waits from here to the end of this transaction, which is one row away.
    this.addSql(`create trigger "posting_channel_day" after insert on "posting" referencing new table as "fresh"
      for each statement execute function "note_channel_day"();`);
    this.addSql(noteStart);
  }
}
