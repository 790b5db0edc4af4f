import type { BookCheck } from '@tollgate/chassis';
import { RedemptionStatus } from '@tollgate/contracts';
import { countsAsRequest, sqlTimeOfId } from '@tollgate/database';
import { keptChecks } from './kept-checks.js';

/**
 * The amounts that each account moved: one row per account with `account`, `credit`, `spent` and `requests`. `source` has
 * the columns of the journal. Movements against revenue are spending, all others are credit.
 */
export const movedBy = (
  source: string,
): string => `select "account", sum("credit") as "credit", sum("spent") as "spent", sum("requests") as "requests" from (
    with leg as materialized (
      select "debit", "credit", "token_id", sum("amount") as "amount",
        count(*) filter (where "code" = 'consumption' and ${countsAsRequest('"reason"')}) as "requests"
      from ${source} group by 1, 2, 3
    )
    select "debit" as "account", case when "credit" = 'revenue' then 0 else -"amount" end as "credit",
      case when "credit" = 'revenue' then "amount" else 0 end as "spent", "requests" from leg
    union all
    select "credit", case when "debit" = 'revenue' then 0 else "amount" end, case when "debit" = 'revenue' then -"amount" else 0 end, 0 from leg
    union all
    select 'token:' || "token_id", 0, case when "credit" = 'revenue' then "amount" when "debit" = 'revenue' then -"amount" else 0 end, 0
    from leg where "token_id" > 0
  ) l group by 1`;

/** Compares balances with the amounts moved, which a query with the columns of `movedBy` returns. */
export const balancesAgainst = (moved: string): string => `with moved as (${moved}), fund as (
    select 'wallet:' || "user_id" as "account", "credit", "spent", "request_count" as "requests" from "account"
    union all select 'affiliate:' || "user_id", "aff_quota", 0, 0 from "account"
    union all select 'token:' || "id", "credit", "spent", 0 from "token"
  )
  select coalesce(f."account", m."account") as "subject",
    'credit ' || coalesce(m."credit", 0) || ', spent ' || coalesce(m."spent", 0) || ', requests ' || coalesce(m."requests", 0) as "expected",
    coalesce('credit ' || f."credit" || ', spent ' || f."spent" || ', requests ' || f."requests", 'no such account') as "found"
  from fund f full join (select * from moved where "account" ~ '^(wallet|affiliate|token):') m on m."account" = f."account"
  where (coalesce(f."credit", 0), coalesce(f."spent", 0), coalesce(f."requests", 0))
    is distinct from (coalesce(m."credit", 0), coalesce(m."spent", 0), coalesce(m."requests", 0))
  order by 1`;

/**
 * The amounts booked on each lease: rows of `kind`, `account_id`, `replica_epoch` and `amount`. `source` has the columns
 * of the journal and is read only once.
 */
export const leasedBy = (
  source: string,
): string => `select f."kind", f."account_id", b."replica_epoch", sum(b."amount") as "amount" from (
      select "user_id", "token_id", "replica_epoch", sum("amount") as "amount" from ${source} where "code" = 'consumption' group by 1, 2, 3
    ) b cross join lateral (values ('wallet', b."user_id"), ('token', b."token_id")) as f("kind", "account_id")
    where f."kind" = 'wallet' or f."account_id" > 0 group by 1, 2, 3`;

/** Compares leases with the amounts booked on them, which a query with the columns of `leasedBy` returns. */
export const leasesAgainst = (
  booked: string,
): string => `select l."kind" || ':' || l."account_id" || ' lent to ' || l."replica_epoch" as "subject",
    'booked ' || coalesce(p."amount", 0) as "expected", 'booked ' || l."booked" as "found"
  from "lease" l left join (${booked}) p using ("kind", "account_id", "replica_epoch")
  where l."booked" > coalesce(p."amount", 0) or l."returned" > l."granted" or l."granted" < 0 or l."booked" < 0
  union all
  select l."kind" || ':' || l."account_id" || ' lent to ' || l."replica_epoch", 'booked ' || l."used" || ', as the relay counted', 'booked ' || l."booked"
  from "lease" l join "replica" r on r."epoch" = l."replica_epoch" where r."released_at" is not null and l."used" > l."booked"
  union all
  select "kind" || ':' || "account_id", 'held ' || "outstanding", 'held ' || "held" from "held_faults"()`;

/**
 * Rows of a source that name accounts of another user. Nearly all rows are consumption, whose accounts are compared for
 * equality; only the others need pattern matching, which is slower.
 */
export const strangeLegs = (
  source: string,
): string => `select "id"::text as "subject", 'accounts and reference of user ' || "user_id" || ', token ' || "token_id" as "expected",
    "code" || ' ' || "debit" || ' to ' || "credit" || ', reference ' || "reference" as "found"
  from ${source} where case when "code" = 'consumption'
    then "debit" <> 'wallet:' || "user_id" or "credit" <> 'revenue' or "reference" <> "id"::text
    else ("debit" ~ '^(wallet|affiliate):' and split_part("debit", ':', 2) <> "user_id"::text)
      or ("credit" ~ '^(wallet|affiliate):' and split_part("credit", ':', 2) <> "user_id"::text)
      or ("code" = 'token-budget' and 'token:' || "token_id" not in ("debit", "credit"))
      or "debit" = "credit" end`;

/** Price versions that rows of a source name but that were never published. */
export const strangeVersions = (
  source: string,
): string => `select 'price version ' || p."price_version" as "subject", 'a published document' as "expected",
    'none, for ' || p."postings" || ' postings' as "found"
  from (select "price_version", count(*) as "postings" from ${source} where "price_version" is not null group by 1) p
  where not exists (select from "price_version" v where v."id" = p."price_version")`;

const keys = `select coalesce(p."id", k."posting_id")::text as "subject",
    case when k."code" is null then 'no movement without its key' else k."code" || ' ' || k."reference" end as "expected",
    case when p."id" is null then 'no posting' else p."code" || ' ' || p."reference" || ' of ' || p."amount" end as "found"
  from (select * from "posting" where "code" <> 'consumption') p
  full join (select * from "posting_key" where "posting_id" is not null) k
    on k."posting_id" = p."id" and k."code" = p."code" and k."reference" = p."reference"
  where coalesce(p."id", k."posting_id") >= :fromId and coalesce(p."id", k."posting_id") < :toId
    and (p."id" is null or k."code" is null
      or (p."code" = 'admin-adjustment' and p."amount" <> abs((k."result"->>'after')::bigint - (k."result"->>'before')::bigint)))`;

const orders = `select 'order:' || coalesce(o."trade_no", p."reference") as "subject",
    coalesce(o."status" || ', ' || o."quota" || ' units for user ' || o."user_id", 'no order') as "expected",
    coalesce(p."code" || ' of ' || p."amount" || ' for user ' || p."user_id" || ' (' || p."id" || ')', 'no posting') as "found"
  from (
    select "trade_no", 'top-up' as "code", "quota", "user_id", "status" from "top_up_order" where "status" in ('paid', 'refunded')
    union all
    select "trade_no", 'refund', "quota", "user_id", "status" from "top_up_order" where "status" = 'refunded'
  ) o full join (select * from "posting" where "code" in ('top-up', 'refund')) p on p."code" = o."code" and p."reference" = o."trade_no"
  where (o."quota", o."user_id") is distinct from (p."amount", p."user_id")`;

/**
 * Compares orders with their first step, which cannot be changed. Orders from before steps stored the terms are
 * skipped.
 */
const terms = `select 'order:' || o."trade_no" as "subject", s."terms"->>'money' || ' ' || (s."terms"->>'currency') || ' for ' || (s."terms"->>'quota')
      || ' units of user ' || (s."terms"->>'userId') || ', by ' || (s."terms"->>'provider') || ' ' || (s."terms"->>'method') || ' to ' || (s."terms"->>'merchant') as "expected",
    o."money" || ' ' || o."currency" || ' for ' || o."quota" || ' units of user ' || o."user_id" || ', by ' || o."provider" || ' ' || o."method" || ' to '
      || o."merchant" as "found"
  from "top_up_step" s join "top_up_order" o on o."id" = s."order_id"
  where s."terms" is not null and s."terms" <> jsonb_build_object('userId', o."user_id", 'provider', o."provider", 'method', o."method", 'merchant', o."merchant",
    'amount', o."amount", 'quota', o."quota", 'money', o."money", 'currency', o."currency")`;

const codes = `select 'code:' || coalesce(c."id"::text, p."reference") as "subject",
    coalesce(c."quota" || ' units redeemed by user ' || c."used_user_id", 'no used code') as "expected",
    coalesce(p."amount" || ' for user ' || p."user_id" || ' (' || p."id" || ')', 'no posting') as "found"
  from (select * from "redemption" where "status" = ${RedemptionStatus.used}) c
  full join (select * from "posting" where "code" = 'redemption') p on p."reference" = c."id"::text
  where (c."quota", c."used_user_id") is distinct from (p."amount", p."user_id")`;

/** Compares each refund with the sum of the request's postings: a corrected request gives back what it finally cost. */
const refunds = `with "corrected" as (
    select split_part("reference", ':', 1) as "request_id", sum(case when "debit" = 'revenue' then -"amount" else "amount" end) as "amount"
    from "posting" where "code" <> 'consumption' and "code" = 'correction' group by 1
  ), "charged" as (
    select r."request_id", p."amount" + coalesce(c."amount", 0) as "amount" from "task_refund" r
    join "posting" p on p."id" = r."request_id" and p."code" = 'consumption'
    left join "corrected" c on c."request_id" = r."request_id"::text
  )
  select 'task:' || coalesce(r."request_id"::text, b."reference") as "subject",
    case when r."request_id" is null then 'no refund asked for' when r."done_at" is null then 'paid back within an hour'
      else coalesce(c."amount", 0) || ' units back, as charged by then' end as "expected",
    coalesce(b."amount" || ' units back (' || b."id" || ')', 'nothing back') as "found"
  from "task_refund" r left join "charged" c using ("request_id")
  full join (select * from "posting" where "code" = 'task-refund') b on b."reference" = r."request_id"::text
  where r."request_id" is null
    or (r."done_at" is not null and coalesce(b."amount", 0) <> coalesce(c."amount", 0))
    or (r."done_at" is null and (b."id" is not null or (c."amount" > 0 and r."created_at" < now() - interval '1 hour')))`;

const putAside = `select coalesce("event_id", "topic" || ' ' || "partition" || '/' || "record_offset") as "subject",
    'applied by ' || "handler" as "expected", left("error", 200) as "found" from "quarantined_event"`;

const unsent = `select 'outbox ' || "id" as "subject", 'sent to ' || "topic" as "expected", left(coalesce("refusal", 'refused'), 200) as "found"
  from "outbox_event" where "refused_at" is not null`;

/** Checks whose cost does not grow with the consumption in the journal. */
export const movementChecks: readonly BookCheck[] = [
  { name: 'a movement has its natural key', store: 'billing.posting, billing.posting_key', query: keys },
  { name: 'paid and refunded orders are booked', store: 'billing.top_up_order', query: orders },
  { name: 'orders are what was agreed on', store: 'billing.top_up_order', query: terms },
  { name: 'redeemed codes are booked', store: 'billing.redemption', query: codes },
  { name: 'failed tasks were paid back', store: 'billing.task_refund', query: refunds },
  { name: 'no event was put aside', store: 'billing.quarantined_event', query: putAside },
  { name: 'no event was refused', store: 'billing.outbox_event', query: unsent },
];

export const BALANCES = 'balances are what the journal moved';
export const LEASES = 'leases have what was booked of them';
export const LEGS = 'a posting names the accounts of its user';
export const VERSIONS = 'price versions exist';

/** The smallest id of a time, given in seconds. */
const idAt = (seconds: string): string =>
  `(lpad(to_hex(greatest(0, ${seconds})::bigint * 1000), 12, '0') || repeat('0', 20))::uuid`;
const DAY = 86_400;
const dayAt = (seconds: string): string => `(to_timestamp(${seconds}) at time zone 'UTC')::date`;
const SUMMED = `"origin", "user_id", "code", "debit", "credit", "group", "channel_id", "model"`;

/** Leaves out postings that the leader has not yet added to the sums after an upgrade. */
const isSummed = `not exists (select from "statement_backlog" b where p."id" > b."after" and p."id" <= b."fence")`;

/**
 * Compares whole days that overlap the period. Sums and rows are written by one statement, so the newest rows count
 * too. Rows are first aggregated by day number and unmodified accounts, so that dates and account types are computed
 * for few rows only.
 */
const statements = `with r as materialized (
    select ${sqlTimeOfId('"id"')} / 86400000 as "number", "user_id", "code", "debit", "credit", "group", "channel_id",
      "model", sum("amount") as "amount", count(*) as "count", coalesce(sum("cost"), 0) as "cost", count("cost") as "costed",
      coalesce(sum("amount") filter (where "cost" is not null), 0) as "costed_amount"
    from "posting" p where "id" >= ${idAt(`:from - ${DAY}`)} and "id" < ${idAt(`:to + ${DAY}`)} and ${isSummed} group by 1, 2, 3, 4, 5, 6, 7, 8
  ), p as (
    select * from (
      select date '1970-01-01' + "number"::int as "origin", "user_id", "code", split_part("debit", ':', 1) as "debit",
        split_part("credit", ':', 1) as "credit", "group", "channel_id", "model", sum("amount") as "amount", sum("count") as "count",
        sum("cost") as "cost", sum("costed") as "costed", sum("costed_amount") as "costed_amount"
      from r group by 1, 2, 3, 4, 5, 6, 7, 8
    ) d where "origin" between ${dayAt(':from')} and ${dayAt(':to')}
  ), s as (
    select ${SUMMED}, sum("amount") as "amount", sum("count") as "count", sum("cost") as "cost", sum("costed") as "costed", sum("costed_amount") as "costed_amount"
    from "statement_day"
    where "origin" between ${dayAt(':from')} and ${dayAt(':to')} group by 1, 2, 3, 4, 5, 6, 7, 8
  )
  select 'statement of ' || "origin" || ' for user ' || "user_id" || ', ' || "code" || ' ' || "model" as "subject",
    coalesce(p."amount" || ' units in ' || p."count" || ' postings, cost ' || p."cost" || ' of ' || p."costed", 'nothing') as "expected",
    coalesce(s."amount" || ' units in ' || s."count" || ', cost ' || s."cost" || ' of ' || s."costed", 'nothing') as "found"
  from p full join s using (${SUMMED})
  where (p."amount", p."count", p."cost", p."costed", p."costed_amount") is distinct from (s."amount", s."count", s."cost", s."costed", s."costed_amount")`;

const CHANNEL_DAY = `"channel_id", "zone", "day", "model", "sent"`;

/**
 * Compares whole days, in each time zone, that overlap the period and that the sums cover completely. A day in
 * California begins seven or eight hours after the same day in UTC.
 */
const channelDays = `with h as materialized (
    select "channel_id", ${sqlTimeOfId('"id"')} / 3600000 as "hour", "model", "upstream_model" as "sent",
      count(*) as "requests", sum("amount") as "sales", coalesce(sum("cost"), 0) as "cost", count("cost") as "costed"
    from "posting"
    where "code" = 'consumption' and "reason" is distinct from 'failed' and "channel_id" > 0
      and "id" >= ${idAt(`:from - ${DAY}`)} and "id" < ${idAt(`:to + 2 * ${DAY}`)} group by 1, 2, 3, 4
  ), p as (
    select * from (
      select "channel_id", z."zone", (to_timestamp("hour" * 3600) at time zone z."zone")::date as "day", "model", "sent",
        sum("requests") as "requests", sum("sales") as "sales", sum("cost") as "cost", sum("costed") as "costed"
      from h cross join (values ('UTC'), ('America/Los_Angeles')) as z("zone") group by 1, 2, 3, 4, 5
    ) d join "channel_day_start" using ("zone") where "day" between ${dayAt(':from')} and ${dayAt(':to')} and "day" >= "first_day"
  ), s as (
    select ${CHANNEL_DAY}, sum("requests") as "requests", sum("sales") as "sales", sum("cost") as "cost", sum("costed") as "costed"
    from "channel_day" join "channel_day_start" using ("zone")
    where "day" between ${dayAt(':from')} and ${dayAt(':to')} and "day" >= "first_day" group by 1, 2, 3, 4, 5
  )
  select 'channel ' || "channel_id" || ' on ' || "day" || ' ' || "zone" || ', ' || "model" as "subject",
    coalesce(p."sales" || ' units in ' || p."requests" || ' requests, cost ' || p."cost" || ' of ' || p."costed", 'nothing') as "expected",
    coalesce(s."sales" || ' units in ' || s."requests" || ' requests, cost ' || s."cost" || ' of ' || s."costed", 'nothing') as "found"
  from p full join s using (${CHANNEL_DAY})
  where (p."requests", p."sales", p."cost", p."costed") is distinct from (s."requests", s."sales", s."cost", s."costed")`;

const ofPeriod = `(select * from "posting" where "id" >= :fromId and "id" < :toId) p`;

const strangeTokens = `select 'token:' || t."id" as "subject", 'a token of user ' || p."user_id" || ', who was charged' as "expected",
    'a token of user ' || t."user_id" as "found"
  from (select "token_id", "user_id" from ${ofPeriod} where "token_id" > 0 group by 1, 2) p join "token" t on t."id" = p."token_id"
  where t."user_id" <> p."user_id"`;

/**
 * All checks between the journal and the other data of billing. The journal is the evidence; balances follow from it.
 */
export const billingChecks: readonly BookCheck[] = [
  { name: BALANCES, store: 'billing.account, billing.token', query: balancesAgainst(movedBy('"posting"')) },
  { name: LEASES, store: 'billing.lease', query: leasesAgainst(leasedBy('"posting"')) },
  { name: LEGS, store: 'billing.posting', query: strangeLegs(ofPeriod) },
  { name: 'a token is of the user who was charged', store: 'billing.token', query: strangeTokens },
  { name: VERSIONS, store: 'billing.price_version', query: strangeVersions('"posting"') },
  { name: 'statements are sums of the journal', store: 'billing.statement_day', query: statements },
  { name: 'days of channels are sums of the journal', store: 'billing.channel_day', query: channelDays },
  ...movementChecks,
  ...keptChecks,
];
