import { LogType } from '@tollgate/contracts';
import type { LogAbout } from '@tollgate/database';

export const LIMIT = 50;
const newest = `order by "id" desc limit ${LIMIT}`;
const CONSUMPTION_TOPIC = 'request-consumed';

/** Queries by table; all take the same parameters. */
export type Queries = Readonly<Record<string, string>>;

/**
 * Postings that change the charge of $1, found by their natural keys, because the journal has no index on references.
 */
const CHANGES = `select "posting_id" from "billing"."posting_key"
    where "code" in ('task-refund', 'correction') and "reference" = $1::text
    union all
    select "posting_id" from "billing"."posting_key" where "code" = 'correction' and "reference" like $1::text || ':%'`;

/** The id $1 itself and, if it is a correction, the request that this corrects. */
const CORRECTED = `select $1::uuid union
    select split_part("reference", ':', 1)::uuid from "billing"."posting" where "id" = $1 and "code" = 'correction'`;
/** Columns of an approval, without its payload, of which only the digest of a correction run is shown. */
const APPROVAL = `"id", "kind", "status", "user_id", "token_id", "change", "subject", "reason", "requester_id", "created_at", "decider_id", "decided_at",
    "note", "payload"->>'digest' as "digest"`;
/** Finds the approval of a movement by the movement's natural key; that of a correction is found by its run. */
const approvalsOf = (movements: string): string => `select ${APPROVAL} from "billing"."approval" a
    where exists (select from ${movements} p
      where a."command" = case p."code" when 'admin-adjustment' then 'adjustment:' when 'token-budget' then 'token-budget:' end || p."reference"
        or (p."code" = 'refund' and a."kind" = 'refund' and a."subject" = p."reference"))`;

/**
 * The posting whose id is also that of the event about correction $1: the first posting for the same wallet in the run.
 * A search by the id of another correction of the run would find no event.
 */
export const EVENT_ID_OF_CORRECTION = `select f."id"::text as "id" from "billing"."posting" c cross join lateral (
    select "id" from "billing"."posting" p where p."user_id" = c."user_id" and p."code" <> 'consumption' and p."code" = 'correction'
      and p."actor_id" = c."actor_id" and p."reason" = c."reason" order by p."id" limit 1) f
  where c."id" = $1 and c."code" = 'correction'`;

/** Rows of logging, by the id of an event. */
export const ofEvent: Queries = {
  'logging.log': `select * from "logging"."log" where "event_id" = $1`,
  'logging.event_place': `select * from "logging"."event_place" where "event_id" = $1`,
};

/** Rows about a request, or about another posting, by its id. */
export const ofRequest: Queries = {
  'billing.posting': `select * from "billing"."posting" where "id" = $1
    union all
    select * from "billing"."posting" where "id" in (${CHANGES}) order by "id"`,
  'billing.posting_key': `select * from "billing"."posting_key" where "posting_id" in (select $1::uuid union all ${CHANGES})`,
  'billing.journal_link': `select "chain", "position", "posting_id", encode("hash", 'hex') as "hash" from "billing"."journal_link" where "posting_id" = $1`,
  'billing.approval': `${approvalsOf(`(select * from "billing"."posting" where "id" = $1)`)}
    union all
    select ${APPROVAL} from "billing"."approval" where "id" in (select "approval_id" from "billing"."correction_row" where "request_id" in (${CORRECTED}))`,
  'billing.correction_row': `select * from "billing"."correction_row" where "request_id" in (${CORRECTED}) order by "approval_id"`,
  'billing.task_refund': `select * from "billing"."task_refund" where "request_id" = $1`,
  'billing.quarantined_event': `select * from "billing"."quarantined_event" where "event_id" = $1::text`,
  'logging.quarantined_event': `select * from "logging"."quarantined_event" where "event_id" = $1::text`,
  'channel.quarantined_event': `select * from "channel"."quarantined_event" where "event_id" = $1::text`,
  ...ofEvent,
  'channel.task': `select * from "channel"."task" where "request_id" = $1`,
};

const wallet: Queries = {
  'billing.account': `select * from "billing"."account" where "user_id" = $1::int`,
  'billing.lease': `select * from "billing"."lease" where "kind" = 'wallet' and "account_id" = $1::int`,
  'billing.posting': `select * from "billing"."posting" where "user_id" = $1::int ${newest}`,
};

const token: Queries = {
  'billing.token': `select "id", "user_id", "name", "status", "credit", "spent", "held", "deleted_at" from "billing"."token" where "id" = $1::int`,
  'billing.lease': `select * from "billing"."lease" where "kind" = 'token' and "account_id" = $1::int`,
  'billing.posting': `select * from "billing"."posting" where "token_id" = $1::int ${newest}`,
};

const order: Queries = {
  'billing.top_up_order': `select * from "billing"."top_up_order" where "trade_no" = $1`,
  'billing.top_up_step': `select "happened_at", "kind", "verdict", "from_status", "to_status", "actor_id", "reason"
    from "billing"."top_up_step" where "trade_no" = $1 order by "id"`,
  'billing.posting': `select * from "billing"."posting" where "reference" = $1 and "code" in ('top-up', 'refund')`,
  'billing.approval': `select ${APPROVAL} from "billing"."approval" where "kind" = 'refund' and "subject" = $1`,
};

const code: Queries = {
  'billing.redemption': `select "id", "name", "status", "quota", "user_id", "used_user_id", "redeemed_time", "deleted_at" from "billing"."redemption" where "id" = $1::int`,
  'billing.posting': `select * from "billing"."posting" where "reference" = $1 and "code" = 'redemption'`,
};

const channel: Queries = {
  'channel.channel': `select "id", "name", "type", "status", "used_quota" from "channel"."channel" where "id" = $1::int`,
  'billing.channel_cost': `select * from "billing"."channel_cost" where "channel_id" = $1::int order by "id" desc limit ${LIMIT}`,
  'logging.log': `select * from "logging"."log" where "channel_id" = $1::int order by "created_at" desc, "id" desc limit ${LIMIT}`,
};

const hourOfUser: Queries = {
  'logging.quota_hour': `select * from "logging"."quota_hour" where "hour" = $1::bigint and "user_id" = $2::int and "model_name" = $3`,
  'logging.log': `select * from "logging"."log" where "user_id" = $2::int and "model_name" = $3 and "type" = ${LogType.consume}
    and "created_at" >= $1::bigint and "created_at" < $1::bigint + 3600 order by "created_at", "id" limit ${LIMIT}`,
};

const hourOfChannel: Queries = {
  'logging.channel_hour': `select * from "logging"."channel_hour" where "hour" = $1::bigint and "channel_id" = $2::int`,
  'logging.log': `select * from "logging"."log" where "channel_id" = $2::int and "type" in (${LogType.consume}, ${LogType.error})
    and "created_at" >= $1::bigint and "created_at" < $1::bigint + 3600 order by "created_at", "id" limit ${LIMIT}`,
};

/** The lower bound of the ids of a day. */
const idOf = (day: string): string =>
  `(lpad(to_hex((extract(epoch from (${day})) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`;

const statement: Queries = {
  'billing.statement_day': `select * from "billing"."statement_day" where "origin" = $1::date and "user_id" = $2::int and "code" = $3 and "model" = $4`,
  'billing.posting': `select * from "billing"."posting" where "user_id" = $2::int and "code" = $3 and "model" = $4
    and "id" >= ${idOf('$1::date')} and "id" < ${idOf('$1::date + 1')} order by "id" limit ${LIMIT}`,
};

const channelDay: Queries = {
  'billing.channel_day': `select * from "billing"."channel_day" where "channel_id" = $1::int and "day" = $2::date and "zone" = $3 and $4 in ("model", "sent")`,
  'logging.channel_usage': `select * from "logging"."channel_usage" where "channel_id" = $1::int and "day" = $2::date and "zone" = $3 and $4 in ("model", "sent")`,
};

const priceVersion: Queries = {
  'billing.price_version': `select "id", "created_at" from "billing"."price_version" where "id" = $1`,
  'billing.price_publication': `select * from "billing"."price_publication" where "price_version" = $1 order by "revision" desc limit ${LIMIT}`,
  'logging.audit_entry': `select * from "logging"."audit_entry" where "action" = 'price-publish' and "after"->>'priceVersion' = $1 order by "happened_at" desc limit ${LIMIT}`,
  'billing.posting': `select * from "billing"."posting" where "price_version" = $1 order by "id" limit ${LIMIT}`,
};

const approval: Queries = {
  'billing.approval': `select ${APPROVAL} from "billing"."approval" where "id" = $1::int`,
  'billing.correction_row': `select * from "billing"."correction_row" where "approval_id" = $1::int order by "number" limit ${LIMIT}`,
  'logging.audit_entry': `select * from "logging"."audit_entry" where "subject" = 'approval:' || $1 order by "happened_at"`,
};

const closedPeriod: Queries = {
  'billing.closed_period': `select * from "billing"."closed_period" where "id" = $1::int`,
  'billing.period_seal': `select * from "billing"."period_seal" where "period_id" = $1::int`,
  'billing.period_signature': `select * from "billing"."period_signature" where "period_id" = $1::int`,
};

const invoice: Queries = {
  'billing.invoice': `select * from "billing"."invoice" where "id" = $1::int`,
  'billing.invoice_line': `select * from "billing"."invoice_line" where "invoice_id" = $1::int order by "day", "model" limit ${LIMIT}`,
  'logging.audit_entry': `select * from "logging"."audit_entry" where "subject" = 'invoice:' || $1 order by "happened_at"`,
};

const outboxRow: Queries = { 'billing.outbox_event': `select * from "billing"."outbox_event" where "id" = $1::bigint` };

/** The records at these offsets, and their neighbours. */
const offsets: Queries = {
  'event_log.record': `select "topic", "partition", "record_offset", "key", "value", "appended_at" from "event_log"."record"
    where "topic" = '${CONSUMPTION_TOPIC}' and "partition" = $1::int and "record_offset" between $2::bigint - 1 and $3::bigint + 1
    order by "record_offset" limit ${LIMIT}`,
};

const place: Queries = Object.fromEntries(
  ['billing', 'logging', 'channel'].map((service) => [
    `${service}.quarantined_event`,
    `select * from "${service}"."quarantined_event" where "topic" = $1 and "partition" = $2::int and "record_offset" = $3::bigint`,
  ]),
);

interface Form {
  /** The subject's form. Its groups are the parameters, unless `values` maps them. */
  words: RegExp;
  queries: Queries;
  values?: (groups: readonly string[]) => unknown[];
  /** The equivalent of the query for `logging.log`, for a usage log outside of the database. */
  log?: (groups: readonly string[]) => LogAbout;
}

const hourFrom = (hour: string): Pick<LogAbout, 'from' | 'to'> => ({ from: Number(hour), to: Number(hour) + 3599 });

/** The forms of subjects other than the id of a request. */
const forms: readonly Form[] = [
  { words: /^(?:wallet|affiliate):(\d+)/, queries: wallet },
  { words: /^token:(\d+)/, queries: token },
  { words: /^order:(\S+)/, queries: order },
  { words: /^code:(\d+)/, queries: code },
  { words: /^approval:(\d+)/, queries: approval },
  { words: /^invoice:(\d+)/, queries: invoice },
  { words: /^period:(\d+)/, queries: closedPeriod },
  { words: /^channel:(\d+)/, queries: channel, log: ([id]) => ({ channelId: Number(id) }) },
  {
    words: /^hour (\d+) of user (\d+), (.*)$/,
    queries: hourOfUser,
    log: ([hour = '', user, modelName]) => ({ ...hourFrom(hour), userId: Number(user), modelName, types: [2] }),
  },
  {
    words: /^hour (\d+) of channel (\d+)$/,
    queries: hourOfChannel,
    log: ([hour = '', channelId]) => ({ ...hourFrom(hour), channelId: Number(channelId), types: [2, 5] }),
  },
  { words: /^statement of (\d{4}-\d\d-\d\d) for user (\d+), (\S+) ?(.*)$/, queries: statement },
  { words: /^(?:usage of )?channel (\d+) on (\d{4}-\d\d-\d\d) (\S+), (.*)$/, queries: channelDay },
  { words: /^price version (\S+)$/, queries: priceVersion },
  { words: /^outbox (\d+)$/, queries: outboxRow },
  {
    words: /^offsets? (\d+)(?: to (\d+))? of partition (\d+)$/,
    queries: offsets,
    values: ([first = '', last = first, partition]) => [partition, first, last],
  },
  { words: /^(\S+) (\d+)\/(\d+)$/, queries: place },
];

/** Queries for a subject; undefined if it has none of the known forms. */
export function formOf(subject: string): { queries: Queries; values: unknown[]; log?: LogAbout } | undefined {
  for (const { words, queries, values, log } of forms) {
    const groups = words.exec(subject)?.slice(1);
    if (groups) return { queries, values: values?.(groups) ?? groups, ...(log && { log: log(groups) }) };
  }
  return undefined;
}
