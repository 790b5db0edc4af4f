import type { Logger } from '@tollgate/chassis';
import { connectPatiently } from '@tollgate/database';

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;
const LIMIT = 50;

/** Tables that tell of a request, by its id as the first parameter. */
const ofRequest: Record<string, string> = {
  'billing.posting': `select * from "billing"."posting" where "id" = $1 or "reference" = $1::text order by "id"`,
  'billing.posting_key': `select * from "billing"."posting_key" where "posting_id" = $1 or "reference" = $1::text`,
  'billing.task_refund': `select * from "billing"."task_refund" where "request_id" = $1`,
  'billing.quarantined_event': `select * from "billing"."quarantined_event" where "event_id" = $1::text`,
  'logging.log': `select * from "logging"."log" where "event_id" = $1`,
  'channel.task': `select * from "channel"."task" where "request_id" = $1`,
  'event_log.record': `select "topic", "partition", "record_offset", "key", "value" from "event_log"."record"
    where "value" like '%' || $1::text || '%'`,
};

const newest = `order by "id" desc limit ${LIMIT}`;
/** What other subjects are found by; the part behind the colon is the first parameter. */
const ofKind: Record<string, Record<string, string>> = {
  wallet: {
    'billing.account': `select * from "billing"."account" where "user_id" = $1::int`,
    'billing.lease': `select * from "billing"."lease" where "kind" = 'wallet' and "account_id" = $1::int`,
    'billing.posting': `select * from "billing"."posting" where "user_id" = $1::int ${newest}`,
  },
  token: {
    'billing.token': `select "id", "user_id", "name", "status", "credit", "spent", "held", "deleted_at" from "billing"."token" where "id" = $1::int`,
    'billing.lease': `select * from "billing"."lease" where "kind" = 'token' and "account_id" = $1::int`,
    'billing.posting': `select * from "billing"."posting" where "token_id" = $1::int ${newest}`,
  },
  order: {
    'billing.top_up_order': `select * from "billing"."top_up_order" where "trade_no" = $1`,
    'billing.top_up_step': `select "happened_at", "kind", "verdict", "from_status", "to_status", "actor_id", "reason"
      from "billing"."top_up_step" where "trade_no" = $1 order by "id"`,
    'billing.posting': `select * from "billing"."posting" where "reference" = $1 and "code" in ('top-up', 'refund')`,
  },
  code: {
    'billing.redemption': `select "id", "name", "status", "quota", "used_user_id", "redeemed_time", "deleted_at" from "billing"."redemption" where "id" = $1::int`,
    'billing.posting': `select * from "billing"."posting" where "reference" = $1 and "code" = 'redemption'`,
  },
  channel: {
    'channel.channel': `select "id", "name", "type", "status", "used_quota" from "channel"."channel" where "id" = $1::int`,
    'logging.log': `select * from "logging"."log" where "channel_id" = $1::int order by "created_at" desc, "id" desc limit ${LIMIT}`,
  },
};
const alias: Record<string, string> = { affiliate: 'wallet' };

/** Every row about a subject of the report, by table. Empty where nothing names it; never a secret. */
export async function everythingAbout(
  subject: string,
  { url, log }: { url: string; log: Logger },
): Promise<Record<string, object[]>> {
  const { queries, value } = queriesFor(subject);
  const found: Record<string, object[]> = {};
  const client = await connectPatiently(url, log);
  try {
    for (const [table, query] of Object.entries(queries)) {
      const { rows: there } = await client.query<{ yes: boolean }>('select to_regclass($1) is not null as yes', [
        table,
      ]);
      if (!there[0]?.yes) continue;
      const { rows } = await client.query<object>(query, [value]);
      if (rows.length > 0) found[table] = rows;
    }
    return found;
  } finally {
    await client.end();
  }
}

function queriesFor(subject: string): { queries: Record<string, string>; value: string } {
  const id = UUID.exec(subject)?.[0];
  if (id !== undefined) return { queries: ofRequest, value: id };
  const [, kind = '', value = ''] = /^(\w+):(\S+)/.exec(subject) ?? [];
  return { queries: ofKind[alias[kind] ?? kind] ?? {}, value };
}
