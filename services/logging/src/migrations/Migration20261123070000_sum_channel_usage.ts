import { Migration } from '@mikro-orm/migrations';

const key = `"channel_id", "zone", "day", "model", "sent", "source", "shard"`;
const number = (name: string): string => `coalesce((l."other"->>'${name}')::numeric, 0)::bigint`;

/**
 * What channels used, by the day of admission on each clock that an invoice goes by, the name that was asked for and the one that was sent.
 * Only Anthropic's prompt count leaves the tokens of caches out.
 */
const sums = (source: string, shard: string): string => `select l."channel_id", z."zone",
    (to_timestamp(('x' || translate(left(l."event_id"::text, 13), '-', ''))::bit(48)::bigint / 1000.0) at time zone z."zone")::date as "day",
    l."model_name" as "model", coalesce(l."other"->>'upstream_model_name', l."model_name") as "sent",
    coalesce(l."other"->>'usage_source', 'upstream') as "source", ${shard} as "shard", count(*) as "requests",
    sum(l."prompt_tokens" + case when l."other"->>'claude' = 'true' then ${number('cache_tokens')} + ${number('cache_creation_tokens')} else 0 end) as "input",
    sum(${number('cache_tokens')}) as "cached", sum(l."completion_tokens") as "output"
  from ${source} l cross join (values ('UTC'), ('America/Los_Angeles')) as z("zone")
  where l."type" = 2 and l."channel_id" > 0 group by 1, 2, 3, 4, 5, 6`;

/** Kept by the statement that writes rows, whichever version of the service it is of; rows that are cleared later stay in the sums. */
const noteChannelUsage = `create function "note_channel_usage"() returns trigger language plpgsql set search_path from current as $$
begin
  -- An import brings the sums along.
  if current_setting('tollgate.importing', true) = 'on' then
    return null;
  end if;
  insert into "channel_usage" (${key}, "requests", "input", "cached", "output")
    ${sums('"fresh"', 'pg_backend_pid() % 8')} order by 1, 2, 3, 4, 5, 6
    on conflict (${key}) do update set "requests" = "channel_usage"."requests" + excluded."requests", "input" = "channel_usage"."input" + excluded."input",
      "cached" = "channel_usage"."cached" + excluded."cached", "output" = "channel_usage"."output" + excluded."output";
  return null;
end $$;`;

export class Migration20261123070000_sum_channel_usage extends Migration {
  override up(): void {
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
    this.addSql(noteChannelUsage);
    // Nobody writes between the sums of what is there and the first of what comes.
    this.addSql(`lock table "log" in share row exclusive mode;`);
    this.addSql(`insert into "channel_usage" (${key}, "requests", "input", "cached", "output") ${sums('"log"', '0')};`);
    this.addSql(`create trigger "log_channel_usage" after insert on "log" referencing new table as "fresh"
      for each statement execute function "note_channel_usage"();`);
  }
}
