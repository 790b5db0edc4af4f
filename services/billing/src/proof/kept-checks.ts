import type { BookCheck, BookFinding } from '@tollgate/chassis';
import { idOfStored } from '../pricing/price-id.js';
import { dayDigests } from '../statement/day-digests.js';
import { faultOf, type SealedPeriod, sealedPeriods, signatureOf } from '../statement/period-seal.js';

/** Every row of a statement counts on its own day, unless the period of that day was closed. */
const daysCounted = `select 'statement of ' || "origin" || ' for user ' || "user_id" || ', ' || "code" || ' ' || "model" as "subject",
    'counted on its day, or on the first one that was open' as "expected", 'counted on ' || "day" as "found"
  from "statement_day" s where "day" <> "origin"
    and not (s."origin" < s."day" and exists (select from "closed_period" c where c."until" = s."day"))`;

/**
 * Periods follow each other without gaps, and have the sums and the digest that they were sealed with. A period whose
 * closing was interrupted has no seal for a while.
 */
const periods = `with "open" as (
    select p.*, lag("until") over (order by "until") as "before" from "closed_period" p
  ), "day" as (${dayDigests(`"day" < (select max("until") from "closed_period")`)}), "now" as (
    select p."id", p."closed_at", p."since" is not distinct from p."before" as "follows", (
        select encode(sha256(convert_to(coalesce(string_agg(d."day" || ' ' || d."digest" || E'\\n', '' order by d."day"), ''), 'UTF8')), 'hex')
        from "day" d where d."day"::date >= coalesce(p."since", '-infinity') and d."day"::date < p."until") as "digest",
      t."postings", t."totals"
    from "open" p cross join lateral (
      select coalesce(sum("count"), 0) as "postings", coalesce(jsonb_object_agg("code", "amount") filter (where "code" <> 'token-budget'), '{}') as "totals"
      from (select "code", sum("amount") as "amount", sum("count") as "count" from "statement_day"
        where "day" >= coalesce(p."since", '-infinity') and "day" < p."until" group by 1) c
    ) t
  )
  select 'period:' || coalesce(n."id", s."period_id") as "subject",
    coalesce('sealed as ' || left(s."digest", 12) || ' of ' || s."postings" || ' postings, after the one before', 'a sealed period after the one before') as "expected",
    case when n."id" is null then 'no period' when not n."follows" then 'begins elsewhere' when s."digest" is null then 'no seal'
      else left(n."digest", 12) || ' of ' || n."postings" || ' postings, sums ' || n."totals" end as "found"
  from "now" n full join "period_seal" s on s."period_id" = n."id"
  where n."id" is null or not n."follows" or (s."digest" is null and n."closed_at" < now() - interval '1 hour')
    or (s."digest" is not null and (s."digest", s."postings", s."totals") is distinct from (n."digest", n."postings", n."totals"))`;

const signatures = `select 'period:' || q."period" as "subject", q.* from (${sealedPeriods('true')}) q`;

/** Signatures are verified here, because the database cannot. */
function unsigned(row: SealedPeriod): BookFinding | undefined {
  const expected = 'signed by this installation';
  return signatureOf(row) === 'wrong' ? { expected, found: faultOf(row) } : undefined;
}

/** An approved request is posted as it was requested, in the name of the requester. */
const approvals = `select 'approval:' || a."id" as "subject",
    a."kind" || ' of ' || a."change" || ' for user ' || a."user_id" || ', asked for by user ' || a."requester_id" as "expected",
    coalesce(p."code" || ' ' || p."debit" || ' to ' || p."credit" || ' of ' || p."amount" || ' for user ' || p."user_id" || ' by user ' || coalesce(p."actor_id", 0)
      || ' (' || p."id" || ')', 'no posting') as "found"
  from "approval" a
  left join "posting_key" k on k."code" = case a."kind" when 'adjustment' then 'admin-adjustment' else a."kind" end
    and k."reference" = case a."kind" when 'refund' then a."subject" else substr(a."command", length(a."kind") + 2) end
  left join "posting" p on p."id" = k."posting_id"
  where a."status" = 'approved' and a."kind" <> 'correction'
    and ((p."amount", p."user_id", p."token_id", p."actor_id") is distinct from (abs(a."change"), a."user_id", a."token_id", a."requester_id")
      or (a."change" > 0) <> (p."credit" ~ '^(wallet|token):'))`;

const NOTE = `'\\(correction run (\\d+), approved by user (\\d+)\\)$'`;

/** A correction run is posted completely, with the approved rows, and names the requester and the approver. */
const runs = `with "posted" as (
    select (n."note")[1]::int as "run", (n."note")[2]::int as "by", p."actor_id", count(*) as "postings",
      sum(case when p."debit" = 'revenue' then -p."amount" else p."amount" end) as "change"
    from "posting" p cross join lateral (select regexp_match(p."reason", ${NOTE}) as "note") n
    where p."code" <> 'consumption' and p."code" = 'correction' and n."note" is not null group by 1, 2, 3
  ), "asked" as (
    select a."id", a."requester_id", a."decider_id", a."payload"->>'digest' as "digest", count(r.*) as "rows", coalesce(sum(r."rerated" - r."charged"), 0) as "change",
      encode(sha256(convert_to(coalesce(string_agg(concat_ws(E'\\x1f', r."request_id", r."user_id", r."token_id", r."model", r."group", r."channel_id", r."charged",
        r."rerated") || E'\\n', '' order by r."number"), ''), 'UTF8')), 'hex') as "found"
    from "approval" a left join "correction_row" r on r."approval_id" = a."id" where a."kind" = 'correction' and a."status" = 'approved' group by a."id"
  )
  select 'approval:' || a."id" as "subject",
    a."rows" || ' corrections of ' || a."change" || ', asked for by user ' || a."requester_id" || ', approved by user ' || a."decider_id" || ', digest ' || left(a."digest", 12) as "expected",
    coalesce(p."postings" || ' corrections of ' || p."change" || ' by user ' || p."actor_id" || ', approved by user ' || p."by", 'no posting') || ', digest of the rows ' || left(a."found", 12) as "found"
  from "asked" a left join "posted" p on p."run" = a."id"
  where a."digest" is distinct from a."found" or (p."postings", p."change", p."actor_id", p."by") is distinct from (a."rows", a."change", a."requester_id", a."decider_id")`;

/** A correction moves the same wallet and token budget that its request was charged to. */
const corrected = `select p."id"::text as "subject", coalesce('user ' || c."user_id" || ', token ' || c."token_id" || ', as request ' || c."id", 'a request that was charged') as "expected",
    'user ' || p."user_id" || ', token ' || p."token_id" || ', for ' || p."reference" as "found"
  from (select *, substring("reference" from '^[0-9a-f-]{36}')::uuid as "request_id" from "posting" where "code" <> 'consumption' and "code" = 'correction') p
  left join "posting" c on c."id" = p."request_id" and c."code" = 'consumption'
  where (p."user_id", p."token_id") is distinct from (c."user_id", c."token_id")`;

/** The total that a user ever earned by invitations; the part that is left is checked with the balances. */
const earnings = `select 'affiliate:' || coalesce(a."user_id", p."user_id") as "subject", coalesce(p."amount", 0) || ' units earned by invitations' as "expected",
    coalesce(a."aff_history_quota", 0) || ' units earned' as "found"
  from "account" a full join (
    select "user_id", sum("amount") as "amount" from "posting" where "code" <> 'consumption' and "code" = 'inviter-reward' and "credit" like 'affiliate:%' group by 1
  ) p using ("user_id") where coalesce(a."aff_history_quota", 0) <> coalesce(p."amount", 0)`;

/** The id of a version is a hash of its prices, so versions that no request was charged by are checked, too. */
const versions = `select 'price version ' || "id" as "subject", "id", "document"::text as "document" from "price_version"`;

function strangePrices(row: { id: string; document: string }): BookFinding | undefined {
  const id = idOfStored(JSON.parse(row.document) as Record<string, unknown>);
  return id === row.id ? undefined : { expected: 'the prices of its id', found: `prices of the id ${id}` };
}

/**
 * Checks of data that finance reads and signs, in addition to the postings. They read at most the daily sums of
 * consumption, never its postings.
 */
export const keptChecks: readonly BookCheck[] = [
  { name: 'a row of a statement counts for its own day', store: 'billing.statement_day', query: daysCounted },
  { name: 'closed periods are what was sealed', store: 'billing.closed_period, billing.period_seal', query: periods },
  {
    ...{
      name: 'seals of closed periods are signed',
      store: 'billing.period_seal, billing.period_signature',
      query: signatures,
    },
    judge: (row) => unsigned(row as unknown as SealedPeriod),
  },
  {
    ...{ name: 'price versions are what was published', store: 'billing.price_version', query: versions },
    judge: (row) => strangePrices(row as { id: string; document: string }),
  },
  { name: 'what two people agreed to is posted as it was asked for', store: 'billing.approval', query: approvals },
  { name: 'a correction run is posted whole', store: 'billing.approval, billing.correction_row', query: runs },
  { name: 'a correction is of whom its request was of', store: 'billing.posting', query: corrected },
  { name: 'earnings are what invitations brought', store: 'billing.account', query: earnings },
];
