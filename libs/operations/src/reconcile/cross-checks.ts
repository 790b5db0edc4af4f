import { LogType } from '@tollgate/contracts';
import type { BookCheck } from '@tollgate/chassis';
import { NO_CHANNEL_TEST, outcomeIn, sqlTimeOfId } from '@tollgate/database';

const isFailed = `"type" = ${LogType.error}`;

/**
 * Tells whether rows may be missing from the log on purpose: because its writing was ever switched, or because it was
 * cleared.
 */
const logAside = `"aside" as (select
    exists (select from "logging"."audit_entry" where "subject" = 'option:LogConsumeEnabled') as "off",
    coalesce((select max(("after"->>'target_timestamp')::bigint) from "logging"."audit_entry" where "action" = 'log-cleared'), 0) as "cleared")`;
/** Seconds since 1970 from the timestamp in a UUIDv7. */
const secondsOf = (id: string): string => `(${sqlTimeOfId(id)} / 1000)`;

/**
 * Custom GPTs are logged under the name of their family. Matching a pattern costs more than all other work on a row, so
 * equal names are compared first.
 */
const familyOf = (model: string): string => `regexp_replace(${model}, '^(gpt-4o?-gizmo).*', '\\1-*')`;

const journalAndLog = `with ${logAside}, p as (
    select "id", "user_id", "token_id", "amount", "price_version", ${outcomeIn('"reason"')} as "outcome" from "billing"."posting"
    where "code" = 'consumption' and "id" >= :fromId and "id" < :toId
  ), l as (
    select "event_id", "user_id", "token_id", "quota", "other"->>'price_version' as "price_version", "other"->>'outcome' as "outcome"
    from "logging"."log" where "type" in (${LogType.consume}, ${LogType.error}) and "event_id" >= :fromId and "event_id" < :toId and ${NO_CHANNEL_TEST}
  )
  select coalesce(p."id", l."event_id")::text as "subject",
    case when p."id" is null then 'no posting' else p."amount" || ' units, user ' || p."user_id" || ', token ' || p."token_id" || ', ' || p."outcome"
      || ', price ' || left(p."price_version", 12) end as "expected",
    case when l."event_id" is null then 'no log row' else l."quota" || ' units, user ' || l."user_id" || ', token ' || l."token_id" || ', ' || l."outcome"
      || ', price ' || left(l."price_version", 12) end as "found"
  from p full join l on l."event_id" = p."id" cross join "aside" a
  where (p."amount", p."user_id", p."token_id", p."price_version", p."outcome")
      is distinct from (l."quota", l."user_id", l."token_id", l."price_version", l."outcome")
    and not (l."event_id" is null and ((a."off" and p."outcome" <> 'failed') or ${secondsOf('p."id"')} < a."cleared"))
    and not (p."id" is null and exists (select from "billing"."quarantined_event" q where q."event_id" = l."event_id"::text))`;

const channelTotals = `with ${logAside}, used as (
    select "channel_id", sum("quota") as "quota" from "logging"."log" where "type" = ${LogType.consume} and ${NO_CHANNEL_TEST} group by 1
  ), back as (
    select t."channel_id", sum(t."quota") as "quota" from "channel"."task" t where t."is_refunded" group by 1
  )
  select 'channel:' || c."id" as "subject", coalesce(u."quota", 0) - coalesce(b."quota", 0) || ' units used' as "expected",
    c."used_quota" || ' units used' as "found"
  from "channel"."channel" c left join used u on u."channel_id" = c."id" left join back b on b."channel_id" = c."id" cross join "aside" a
  where c."used_quota" <> coalesce(u."quota", 0) - coalesce(b."quota", 0) and not a."off" and a."cleared" = 0`;

const tasks = `select 'task:' || t."request_id" as "subject", t."quota" || ' units charged to user ' || t."user_id" as "expected",
    coalesce(p."amount" || ' units charged to user ' || p."user_id", 'no posting') as "found"
  from "channel"."task" t left join "billing"."posting" p on p."id" = t."request_id" and p."code" = 'consumption'
  where t."settled_at" is not null and t."request_id" >= :fromId and t."request_id" < :toId and t."upstream_id" <> ''
    and (t."quota", t."user_id") is distinct from (p."amount", p."user_id")
  union all
  select 'task:' || coalesce(t."request_id", r."request_id"), case when t."is_refunded" then 'a refund' else 'no refund' end,
    case when r."request_id" is null then 'no refund asked for' else 'a refund' end
  from (select * from "channel"."task" where "is_refunded") t full join "billing"."task_refund" r on r."request_id" = t."request_id"
  where t."request_id" is null or r."request_id" is null`;

/**
 * The transaction that decided on an approval also wrote the event of the audit log, whose rows belong to another
 * service.
 */
const decisions = `select 'approval:' || a."id" as "subject",
    'approved by user ' || e."actor_id" || ', asked for by user ' || (e."before"->>'requesterId') || ', ' || (e."after"->>'change') || ' units' as "expected",
    a."status" || ' by user ' || coalesce(a."decider_id", 0) || ', asked for by user ' || a."requester_id" || ', ' || a."change" || ' units' as "found"
  from "logging"."audit_entry" e join "billing"."approval" a on e."subject" = 'approval:' || a."id"
  where e."action" = 'approval-approve'
    and ('approved', e."actor_id", coalesce((e."before"->>'requesterId')::int, a."requester_id"), coalesce((e."after"->>'change')::bigint, a."change"))
      is distinct from (a."status", a."decider_id", a."requester_id", a."change")`;

export const JOURNAL_AND_LOG = 'journal and usage log tell the same';

/** Checks between services. Rows of one are found in the others by the id of the request. */
export const crossChecks: readonly BookCheck[] = [
  { name: JOURNAL_AND_LOG, store: 'billing.posting, logging.log', query: journalAndLog },
  { name: 'channels have used what the log tells', store: 'channel.channel', query: channelTotals },
  { name: 'approvals are what the audit log tells', store: 'billing.approval', query: decisions },
  { name: 'tasks are charged and refunded as the journal tells', store: 'channel.task', query: tasks },
];

/**
 * Sums of the period by store, with the columns `store`, `requests` and `units`. The sums of the usage log are those of
 * `usageQuery`.
 */
export const sumQuery = (
  hasEvents: boolean,
): string => `select 'journal' as "store", count(*) as "requests", coalesce(sum("amount"), 0) as "units" from "billing"."posting"
    where "code" = 'consumption' and "id" >= :fromId and "id" < :toId
  ${hasEvents ? `union all select 'events', count(*), coalesce(sum("quota"), 0) from "seen_event"` : ''}`;

/**
 * Counts every row of the period once, by the source of its usage: reported by the upstream, or estimated because the
 * upstream reported none or implausible numbers.
 */
export const usageQuery = `select case when ${isFailed} then 'failed' else coalesce("other"->>'usage_source', '') || coalesce(', ' || ("other"->>'usage_doubt'), '') end as "source",
    count(*) as "requests", coalesce(sum("quota"), 0) as "units"
  from "logging"."log" where "type" in (${LogType.consume}, ${LogType.error}) and "event_id" >= :fromId and "event_id" < :toId and ${NO_CHANNEL_TEST} group by 1 order by 1`;

/**
 * Checks of the events that were read into `seen_event`. `:since` is the time in seconds from which the log still has
 * all events.
 */
export const eventChecks: readonly BookCheck[] = [
  {
    name: 'every event is booked as it states',
    store: 'event log, billing.posting',
    query: `with p as (
        select "id", "user_id", "token_id", "amount", "price_version", "replica_epoch", ${outcomeIn('"reason"')} as "outcome"
        from "billing"."posting"
        where "code" = 'consumption' and "id" >= :fromId and "id" < :toId
      )
      select coalesce(e."id", p."id")::text as "subject",
        case when e."id" is null then 'no event' else e."quota" || ' units, user ' || e."user_id" || ', token ' || e."token_id" || ', ' || e."outcome"
          || ' (partition ' || e."partition" || ', offset ' || e."record_offset" || ')' end as "expected",
        case when p."id" is null then 'no posting' else p."amount" || ' units, user ' || p."user_id" || ', token ' || p."token_id" || ', ' || p."outcome" end as "found"
      from "seen_event" e full join p on p."id" = e."id"
      where (e."user_id", e."token_id", e."quota", e."price_version", e."replica_epoch", e."outcome")
          is distinct from (p."user_id", p."token_id", p."amount", p."price_version", p."replica_epoch", p."outcome")
        and not (e."id" is null and ${secondsOf('p."id"')} < :since)
        and not (p."id" is null and exists (select from "billing"."quarantined_event" q where q."event_id" = e."id"::text))`,
  },
  {
    name: 'the log row tells what the upstream reported',
    store: 'event log, logging.log',
    query: `select e."id"::text as "subject",
        e."prompt" || ' + ' || e."completion" || ' tokens, channel ' || e."channel_id" || ', ' || e."model" as "expected",
        l."prompt_tokens" || ' + ' || l."completion_tokens" || ' tokens, channel ' || l."channel_id" || ', ' || l."model_name" as "found"
      from "seen_event" e join "logging"."log" l on l."event_id" = e."id" and l."type" in (${LogType.consume}, ${LogType.error})
      where (e."prompt", e."completion", e."channel_id") is distinct from (l."prompt_tokens", l."completion_tokens", l."channel_id")
        or (e."model" <> l."model_name" and ${familyOf('e."model"')} <> ${familyOf('l."model_name"')})`,
  },
  {
    name: 'a charged task is known',
    store: 'event log, channel.task',
    query: `select 'task:' || e."id" as "subject", 'a task, charged ' || e."quota" || ' units' as "expected", 'no task' as "found"
      from "seen_event" e where e."is_task" and not exists (select from "channel"."task" t where t."request_id" = e."id")`,
  },
  {
    name: 'the price version gives the same charge',
    store: 'event log',
    query: `select "id"::text as "subject", 'the charge by version ' || left("price_version", 12) as "expected", "fault" as "found"
      from "seen_event" where "fault" is not null`,
  },
];
