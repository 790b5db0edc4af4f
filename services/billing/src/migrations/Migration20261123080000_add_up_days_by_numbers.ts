import { Migration } from '@mikro-orm/migrations';

/** Milliseconds since the epoch of a time-ordered id. */
const millisecondsOf = (id: string): string => `('x' || translate(left(${id}::text, 13), '-', ''))::bit(48)::bigint`;

/** In whole numbers: this runs for every row that is booked, and fractions take twice as long. */
const dayOf = (id: string): string => `date '1970-01-01' + (${millisecondsOf(id)} / 86400000)::int`;

const columns = `"day", "origin", "user_id", "code", "debit", "credit", "group", "channel_id", "model"`;

/** What it was, but for the day. */
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

export class Migration20261123080000_add_up_days_by_numbers extends Migration {
  override up(): void {
    this.addSql(noteStatement);
  }
}
