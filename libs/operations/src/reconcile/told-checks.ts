import type { BookCheck } from '@tollgate/chassis';

/** A row and its entry are of one transaction, whose two times are a moment apart. */
const APART = `interval '1 minute'`;

/** Every saving of cost prices told the ones that it saved; nobody else makes versions of them, and none is ever removed. */
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

/** The entry has the ids of all codes that were made at once. */
const makers = `select 'code:' || c."id" as "subject", 'made by user ' || e."actor_id" as "expected", 'made by user ' || c."user_id" as "found"
  from "logging"."audit_entry" e
  cross join lateral jsonb_array_elements_text(case jsonb_typeof(e."after"->'ids') when 'array' then e."after"->'ids' else '[]' end) i("id")
  join "billing"."redemption" c on c."id" = i."id"::int
  where e."action" = 'redemption-create' and e."actor_id" is distinct from c."user_id"`;

/** The audit log was told by the very transactions that wrote these rows; it is of another service, and refuses every change. */
export const toldChecks: readonly BookCheck[] = [
  { name: 'cost prices are what the audit log tells', store: 'billing.channel_cost', query: costs },
  { name: 'codes are of who made them', store: 'billing.redemption', query: makers },
];
