import { LogType } from '@tollgate/contracts';
import type { BookCheck } from '@tollgate/chassis';
import { INVOICE_LINES_DIGEST } from '@tollgate/database';

/** A row and its audit entry are written by one transaction, but their two timestamps differ slightly. */
const APART = `interval '1 minute'`;

/**
 * The audit log records every saving of cost prices, with the prices. Versions are created in no other way, and are
 * never deleted.
 */
const costs = `with "told" as materialized (
    select e."subject", e."actor_id", t."key" as "model", t."value" as "terms", e."happened_at" as "at"
    from "logging"."audit_entry" e cross join lateral jsonb_each(e."after") t where e."action" = 'channel-cost'
  ), "kept" as materialized (
    select 'channel:' || "channel_id" as "subject", "actor_id", coalesce(nullif("model", ''), '*') as "model", coalesce("terms", 'null') as "terms",
      "created_at" as "at"
    from "billing"."channel_cost"
  )
  select k."subject" || ' costs of ' || k."model" as "subject", 'saved like this, as the audit log tells' as "expected",
    k."terms"::text || ' by user ' || k."actor_id" || ' at ' || k."at" as "found"
  from "kept" k where not exists (select from "told" t where (t."subject", t."actor_id", t."model", t."terms") = (k."subject", k."actor_id", k."model", k."terms")
    and t."at" between k."at" - ${APART} and k."at" + ${APART})
  union all
  select t."subject" || ' costs of ' || t."model", t."terms"::text || ' by user ' || t."actor_id" || ' at ' || t."at", 'no such version'
  from "told" t where not exists (select from "kept" k where (t."subject", t."actor_id", t."model", t."terms") = (k."subject", k."actor_id", k."model", k."terms")
    and t."at" between k."at" - ${APART} and k."at" + ${APART})`;

/** The audit entry lists the ids of all codes that were created at once. */
const makers = `select 'code:' || c."id" as "subject", 'made by user ' || e."actor_id" as "expected", 'made by user ' || c."user_id" as "found"
  from "logging"."audit_entry" e
  cross join lateral jsonb_array_elements_text(case jsonb_typeof(e."after"->'ids') when 'array' then e."after"->'ids' else '[]' end) i("id")
  join "billing"."redemption" c on c."id" = i."id"::int
  where e."action" = 'redemption-create' and e."actor_id" is distinct from c."user_id"`;

/**
 * The audit entry contains a digest of the lines. Imports of earlier releases have none, and are compared without their
 * lines.
 */
const invoices = `with "kept" as materialized (
    select i."id", jsonb_build_object('name', i."name", 'format', i."format", 'channel_ids', i."channel_ids", 'digest', i."digest", 'first_day', i."first_day",
      'last_day', i."last_day", 'rows', i."rows", 'by', i."imported_by") as "terms", coalesce(l."lines", 0) as "lines", l."digest"
    from "billing"."invoice" i
    left join (select "invoice_id", count(*) as "lines", ${INVOICE_LINES_DIGEST} as "digest" from "billing"."invoice_line" group by 1) l on l."invoice_id" = i."id"
  ), "told" as materialized (
    select substr("subject", 9)::int as "id", ("after" - 'lines_digest') || jsonb_build_object('by', "actor_id") as "terms", "after"->>'lines_digest' as "digest"
    from "logging"."audit_entry" where "action" = 'invoice-import' and "after" is not null
  )
  select 'invoice:' || coalesce(k."id", t."id") as "subject", coalesce(t."terms"::text || ', lines ' || coalesce(left(t."digest", 12), 'not told'), 'no such import') as "expected",
    coalesce(k."terms"::text || ', ' || k."lines" || ' lines ' || coalesce(left(k."digest", 12), ''), 'no such invoice') as "found"
  from "kept" k full join "told" t on t."id" = k."id"
  where k."terms" is distinct from t."terms" or (t."digest" is not null and k."digest" is distinct from t."digest")
  union all
  select distinct 'invoice:' || l."invoice_id", 'an invoice of these lines', 'none' from "billing"."invoice_line" l
  where not exists (select from "billing"."invoice" i where i."id" = l."invoice_id")`;

/**
 * The audit log records for each publication when it came into force and when its price version was created. Entries of
 * earlier releases record only which version was published.
 */
const prices = `with "told" as materialized (
    select substr("subject", 7)::bigint as "revision", "after"->>'priceVersion' as "version", ("after"->>'publishedAt')::timestamptz as "at",
      ("after"->>'mintedAt')::timestamptz as "minted"
    from "logging"."audit_entry" where "action" = 'price-publish' and "after" is not null
  )
  select 'price version ' || coalesce(t."version", p."price_version") as "subject",
    coalesce('in force since ' || coalesce(t."at"::text, 'a time that was not told') || ', by publication ' || t."revision", 'no such publication') as "expected",
    coalesce(left(p."price_version", 12) || ' in force since ' || p."published_at" || ', by publication ' || p."revision", 'no such publication') as "found"
  from "billing"."price_publication" p full join "told" t using ("revision")
  where (p."price_version" is distinct from t."version" or (t."at" is not null and t."at" is distinct from p."published_at"))
    and not (t."revision" is null and "revision" < coalesce((select min("revision") from "told"), 9223372036854775807))
  union all
  select 'price version ' || t."version", 'known since ' || t."minted", coalesce('known since ' || v."created_at", 'no such version')
  from (select distinct on ("version") * from "told" where "minted" is not null order by "version", "revision") t left join "billing"."price_version" v on v."id" = t."version"
  where v."created_at" is distinct from t."minted"`;

/** The payer's usage log contains the amount of a payment; its currency is stored in the order only. */
const payments = `select 'order:' || o."trade_no" as "subject", 'paid ' || substring(l."content" from '[0-9.]+$') as "expected", 'paid ' || o."money" || ' ' || o."currency" as "found"
  from "billing"."top_up_order" o join "billing"."posting_key" k on k."code" = 'top-up' and k."reference" = o."trade_no"
  join "logging"."log" l on l."event_id" = k."posting_id" and l."type" = ${LogType.topUp}
  where substring(l."content" from '[0-9.]+$')::numeric <> o."money"::numeric`;

/**
 * Checks of billing's rows against the audit log. The transactions that wrote these rows also wrote the events of the
 * audit log, which belongs to another service and refuses every change.
 */
export const auditLogChecks: readonly BookCheck[] = [
  { name: 'cost prices are what the audit log tells', store: 'billing.channel_cost', query: costs },
  { name: 'invoices are what the audit log tells', store: 'billing.invoice, billing.invoice_line', query: invoices },
  {
    name: 'prices came into force when the audit log tells',
    store: 'billing.price_publication, billing.price_version',
    query: prices,
  },
  { name: 'payments are what the log of their users tells', store: 'billing.top_up_order', query: payments },
  { name: 'codes are of who made them', store: 'billing.redemption', query: makers },
];
