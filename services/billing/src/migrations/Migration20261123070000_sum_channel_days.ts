import { Migration } from '@mikro-orm/migrations';

const key = `"channel_id", "zone", "day", "model", "shard"`;

/** What channels sold, by the days of each clock that an invoice goes by; requests that cost nobody anything because they failed are none. */
const sums = (source: string, shard: string): string => `select p."channel_id", z."zone",
    (to_timestamp(('x' || translate(left(p."id"::text, 13), '-', ''))::bit(48)::bigint / 1000.0) at time zone z."zone")::date as "day", p."model",
    ${shard} as "shard", count(*) as "requests", sum(p."amount") as "sales", coalesce(sum(p."cost"), 0) as "cost", count(p."cost") as "costed"
  from ${source} p cross join (values ('UTC'), ('America/Los_Angeles')) as z("zone")
  where p."code" = 'consumption' and p."reason" is distinct from 'failed' and p."channel_id" > 0 group by 1, 2, 3, 4`;

/**
 * Kept by the statement that adds to the journal, as statements are. A channel is everybody's, so a day has some rows by the connection that
 * wrote, and who books seldom waits for another.
 */
const noteChannelDay = `create function "note_channel_day"() returns trigger language plpgsql set search_path from current as $$
begin
  -- An import brings the sums along.
  if current_setting('tollgate.importing', true) = 'on' then
    return null;
  end if;
  insert into "channel_day" (${key}, "requests", "sales", "cost", "costed")
    ${sums('"fresh"', 'pg_backend_pid() % 8')} order by 1, 2, 3, 4
    on conflict (${key}) do update set "requests" = "channel_day"."requests" + excluded."requests", "sales" = "channel_day"."sales" + excluded."sales",
      "cost" = "channel_day"."cost" + excluded."cost", "costed" = "channel_day"."costed" + excluded."costed";
  return null;
end $$;`;

export class Migration20261123070000_sum_channel_days extends Migration {
  override up(): void {
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
    this.addSql(noteChannelDay);
    // Nobody books between the sums of what is there and the first of what comes.
    this.addSql(`lock table "posting" in share row exclusive mode;`);
    this.addSql(`insert into "channel_day" (${key}, "requests", "sales", "cost", "costed") ${sums('"posting"', '0')};`);
    this.addSql(`create trigger "posting_channel_day" after insert on "posting" referencing new table as "fresh"
      for each statement execute function "note_channel_day"();`);
  }
}
