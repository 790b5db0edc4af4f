import { adminAction, type EventContract, type EventOf, tokenChanged } from '@tollgate/contracts';
import { serialise, toEnvelope } from '@tollgate/chassis';
import type { Query } from '../seal/chain-rows.js';
import { rowset, units } from '../units.js';

/** A correction that was posted. */
interface Correction {
  user_id: number;
  token_id: number;
  /** Units, above zero from the user. */
  change: number;
}
interface Order {
  reason: string;
  requestedBy: number;
  approvedBy: number;
}

const moveWallets = `update "account" a set "spent" = a."spent" + d."change"
  from (select "user_id", sum("change")::bigint as "change", count(*)::int as "requests"
    from json_to_recordset($1::json) as e("user_id" int, "change" bigint) group by 1) d
  where a."user_id" = d."user_id"
  returning a."user_id", d."requests", d."change", a."credit" - a."spent" as "quota", a."credit" - a."spent" < a."held" as "is_short"`;

/** A key that runs out, and one that may call again, is another one to relays. */
const moveTokens = `update "token" t set "spent" = t."spent" + d."change"
  from (select "token_id", sum("change")::bigint as "change"
    from json_to_recordset($1::json) as e("token_id" int, "change" bigint) where "token_id" > 0 group by 1) d
  where t."id" = d."token_id"
  returning t."id", not t."unlimited_quota" and t."credit" - t."spent" < t."held" as "is_short",
    t."deleted_at" is null and not t."unlimited_quota"
      and (t."credit" <= t."spent") <> (t."credit" <= t."spent" - d."change") as "turned"`;

/** Quota lent on what is not there any more comes back with the next heartbeats of its holders. */
const askBack = `insert into "lease_wait" ("kind", "account_id", "replica_epoch", "wanted_at")
  select e."kind", e."id", '', now() from json_to_recordset($1::json) as e("kind" text, "id" int) order by 1, 2
  on conflict ("kind", "account_id", "replica_epoch") do update set "wanted_at" = excluded."wanted_at"`;

const nextRevision = `update "change_revision" set "value" = "value" + 1 where "name" = 'token' returning "value"`;
const markTokens = `update "token" set "revision" = $1 where "id" = any($2::int[]) returning "id", "user_id"`;

/** Moves the balances that corrections are about and writes what follows, in the caller's transaction that has locked them. */
export async function tellCorrections(query: Query, rows: readonly Correction[], order: Order): Promise<void> {
  const wallets = await query<
    Record<'user_id' | 'requests', number> & { change: string; quota: string; is_short: boolean }
  >(moveWallets, [rowset(rows)]);
  const tokens = await query<{ id: number; is_short: boolean; turned: boolean }>(moveTokens, [rowset(rows)]);
  const short = [
    ...wallets.filter((row) => row.is_short).map((row) => ({ kind: 'wallet', id: row.user_id })),
    ...tokens.filter((row) => row.is_short).map((row) => ({ kind: 'token', id: row.id })),
  ];
  if (short.length > 0) await query(askBack, [rowset(short)]);
  const turned = tokens.filter((row) => row.turned).map((row) => row.id);
  if (turned.length > 0) await announceTokens(query, turned);
  const { reason, requestedBy: actorId, approvedBy } = order;
  for (const { user_id: userId, requests, change, quota } of wallets) {
    const after = units(quota);
    await add(query, adminAction, {
      ...{ actorId, action: 'charges-correct', subject: `user:${userId}`, userId },
      before: { quota: after + units(change) },
      after: { quota: after, requests, reason, approvedBy },
    });
  }
}

async function announceTokens(query: Query, ids: readonly number[]): Promise<void> {
  const [row] = await query<{ value: string }>(nextRevision);
  const revision = units(row?.value);
  for (const { id: tokenId, user_id: userId } of await query<{ id: number; user_id: number }>(markTokens, [
    revision,
    ids,
  ]))
    await add(query, tokenChanged, { userId, tokenId, revision });
}

/** What the outbox of the service does, for a command beside it; the service sends the row. */
async function add<C extends EventContract>(query: Query, contract: C, data: EventOf<C>['data']): Promise<void> {
  const envelope = toEnvelope(contract, 'billing', data);
  await query('insert into "outbox_event" ("topic", "key", "value") values ($1, $2, $3)', [
    contract.name,
    envelope.subject,
    serialise(envelope),
  ]);
}
