import type { BookCheck } from '@tollgate/chassis';
import { LogType } from '@tollgate/contracts';
import { NO_CHANNEL_TEST, sqlTimeOfId } from '@tollgate/database';

/** Hours that begin within the period and whose rows have not been cleared. */
const comparable = `"hour" >= :from and "hour" < :to and "hour" >= (
    select coalesce(max(("after"->>'target_timestamp')::bigint), 0) from "audit_entry" where "action" = 'log-cleared')`;

/** Whether the counting was ever switched off: hours may then rightly be less than the log. */
const switched = `"switched" as (select exists (select from "audit_entry"
    where "subject" in ('option:DataExportEnabled', 'option:LogConsumeEnabled')) as "off")`;

const hours = `with ${switched}, h as (
    select "user_id", "username", "model_name", "hour", "logged_quota", "quota", "count", "token_used" from "quota_hour" where ${comparable}
  ), l as (
    select * from (
      select "user_id", "username", "model_name", "created_at" - "created_at" % 3600 as "hour", sum("quota") as "quota", count(*) as "count",
        sum("prompt_tokens" + "completion_tokens") as "tokens"
      from "log" where "type" = ${LogType.consume} and "created_at" >= :from and "created_at" < :to + 3600 group by 1, 2, 3, 4) g where ${comparable}
  )
  select 'hour ' || "hour" || ' of user ' || "user_id" || ', ' || "model_name" as "subject",
    coalesce(l."quota", 0) || ' units in ' || coalesce(l."count", 0) || ' requests' as "expected",
    coalesce(h."logged_quota", 0) || ' units; shown: ' || coalesce(h."quota", 0) || ' in ' || coalesce(h."count", 0) as "found"
  from h full join l using ("user_id", "username", "model_name", "hour")
  where coalesce(h."logged_quota", 0) <> coalesce(l."quota", 0)
    or (coalesce(h."count", 0), coalesce(h."quota", 0), coalesce(h."token_used", 0)) is distinct from
       (coalesce(l."count", 0), coalesce(l."quota", 0), coalesce(l."tokens", 0)) and not (select "off" from "switched")`;

/** Most lists of channels are equal, so each distinct list is unnested once instead of once per row. */
const channelHours = `with ${switched}, a as materialized (
    select "other"->'admin_info'->'use_channel' as "channels", "created_at" - "created_at" % 3600 as "hour", count(*) as "requests"
    from "log" where "type" in (${LogType.consume}, ${LogType.error}) and "created_at" >= :from and "created_at" < :to + 3600 group by 1, 2
  ), l as (
    select * from (
      select c::int as "channel_id", "hour", sum("requests") as "requests" from a, jsonb_array_elements_text("channels") c group by 1, 2) g
    where ${comparable}
  ), h as (select "channel_id", "hour", "requests" from "channel_hour" where ${comparable})
  select 'hour ' || "hour" || ' of channel ' || "channel_id" as "subject", coalesce(l."requests", 0) || ' attempts' as "expected",
    coalesce(h."requests", 0) || ' attempts' as "found"
  from h full join l using ("channel_id", "hour")
  where coalesce(h."requests", 0) <> coalesce(l."requests", 0) and not (select "off" from "switched")`;

const USAGE = `"channel_id", "zone", "day", "model", "sent", "source"`;
const ZONES = `(values ('UTC'), ('America/Los_Angeles')) as z("zone")`;
const dayAt = (seconds: string): string => `(to_timestamp(${seconds}) at time zone 'UTC')::date`;
const number = (name: string): string => `coalesce(("other"->>'${name}')::numeric, 0)::bigint`;
/**
 * Days that the sums contain completely and whose rows have not been cleared; a request ends at most a few days after
 * its admission.
 */
const DAY = 86_400;
const whole = `"day" between ${dayAt(':from')} and ${dayAt(':to')} and "day" >= "first_day" and "day" > (
    select coalesce(max(${dayAt(`("after"->>'target_timestamp')::bigint`)}), '-infinity'::date) from "audit_entry" where "action" = 'log-cleared')`;

/**
 * Summed by hour first, since hours begin at the same moment in every zone: each row is read once, however many zones
 * there are.
 */
const channelUsage = `with h as materialized (
    select "channel_id", ${sqlTimeOfId('"event_id"')} / 3600000 as "hour",
      "model_name" as "model", coalesce("other"->>'upstream_model_name', "model_name") as "sent", coalesce("other"->>'usage_source', 'upstream') as "source",
      count(*) as "requests",
      sum("prompt_tokens" + case when "other"->>'claude' = 'true' then ${number('cache_tokens')} + ${number('cache_creation_tokens')} else 0 end) as "input",
      sum(${number('cache_tokens')}) as "cached", sum("completion_tokens") as "output"
    from "log"
    where "type" = ${LogType.consume} and ${NO_CHANNEL_TEST} and "channel_id" > 0 and "created_at" >= :from - ${DAY} and "created_at" < :to + 4 * ${DAY} group by 1, 2, 3, 4, 5
  ), l as (
    select * from (
      select "channel_id", z."zone", (to_timestamp("hour" * 3600) at time zone z."zone")::date as "day", "model", "sent", "source",
        sum("requests") as "requests", sum("input") as "input", sum("cached") as "cached", sum("output") as "output"
      from h cross join ${ZONES} group by 1, 2, 3, 4, 5, 6
    ) g join "channel_usage_start" using ("zone") where ${whole}
  ), u as (
    select ${USAGE}, sum("requests") as "requests", sum("input") as "input", sum("cached") as "cached", sum("output") as "output"
    from "channel_usage" join "channel_usage_start" using ("zone") where ${whole} group by 1, 2, 3, 4, 5, 6
  )
  select 'usage of channel ' || "channel_id" || ' on ' || "day" || ' ' || "zone" || ', ' || "sent" as "subject",
    coalesce(l."requests" || ' requests, tokens ' || l."input" || ' and ' || l."output", 'nothing') as "expected",
    coalesce(u."requests" || ' requests, tokens ' || u."input" || ' and ' || u."output", 'nothing') as "found"
  from l full join u using (${USAGE}) where (l."requests", l."input", l."cached", l."output")
    is distinct from (u."requests", u."input", u."cached", u."output")`;

const doubled = `select "event_id"::text as "subject", 'one row' as "expected", count(*) || ' rows' as "found"
  from "log" where "event_id" >= :fromId and "event_id" < :toId group by "event_id" having count(*) > 1`;

const putAside = `select coalesce("event_id", "topic" || ' ' || "partition" || '/' || "record_offset") as "subject",
    'applied by ' || "handler" as "expected", left("error", 200) as "found" from "quarantined_event"`;

/** Consistency checks between the usage log and the sums derived from it. */
export const loggingChecks: readonly BookCheck[] = [
  { name: 'hours are the sums of their log rows', store: 'logging.quota_hour', query: hours },
  { name: 'hours of channels count their attempts', store: 'logging.channel_hour', query: channelHours },
  { name: 'usage of channels is the sum of their log rows', store: 'logging.channel_usage', query: channelUsage },
  { name: 'an event has one log row', store: 'logging.log', query: doubled },
  { name: 'no event was put aside', store: 'logging.quarantined_event', query: putAside },
];
