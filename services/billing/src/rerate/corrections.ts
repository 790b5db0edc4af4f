import { AppError } from '@tollgate/chassis';
import { v7 as uuidv7 } from 'uuid';
import { rowset } from '../units.js';
import type { Query } from '../seal/chain-rows.js';
import type { Difference } from './rerating.js';

export interface CorrectionOrder {
  reason: string;
  requestedBy: number;
  approvedBy: number;
  /** Names the run: the same request is corrected once under one name. */
  run: string;
}

const BATCH = 500;

const administrators = `select "id" from "identity"."users" where "id" = any($1::int[]) and "role" >= 10 and "status" = 1 and "deleted_at" is null`;

/** Both must be administrators who may sign in, and not the same one. Throws `approval-missing`. */
export async function requireApproval(
  query: Query,
  { requestedBy, approvedBy, reason }: CorrectionOrder,
): Promise<void> {
  const refuse = (message: string): never => {
    throw new AppError('forbidden', 'approval-missing', message);
  };
  if (reason.trim() === '') refuse('A correction needs a reason: --reason "…".');
  if (requestedBy === approvedBy)
    refuse('A correction needs the approval of another administrator than the one who asks for it.');
  const rows = await query<{ id: number }>(administrators, [[requestedBy, approvedBy]]);
  const missing = [requestedBy, approvedBy].filter((id) => !rows.some((row) => row.id === id));
  if (missing.length > 0) refuse(`User ${missing.join(' and ')} is no enabled administrator.`);
}

/** Accounts are locked in the order booking locks them in: wallets, then tokens, by id. */
const lockWallets = `select 1 from "account" where "user_id" = any($1::int[]) order by "user_id" for update`;
const lockTokens = `select 1 from "token" where "id" = any($1::int[]) order by "id" for update`;

const correct = `with wanted as (
    select * from json_to_recordset($1::json) as e("id" uuid, "reference" text, "user_id" int, "token_id" int, "change" bigint)
  ), fresh as (
    insert into "posting_key" ("code", "reference", "posting_id") select 'correction', "reference", "id" from wanted
    on conflict do nothing returning "posting_id"
  ), made as (
    insert into "posting" ("id", "code", "debit", "credit", "amount", "user_id", "token_id", "reference", "actor_id", "reason")
    select w."id", 'correction', case when w."change" > 0 then 'wallet:' || w."user_id" else 'revenue' end,
      case when w."change" > 0 then 'revenue' else 'wallet:' || w."user_id" end, abs(w."change"), w."user_id", w."token_id", w."reference",
      $2::int, $3::text
    from wanted w join fresh f on f."posting_id" = w."id" order by w."id" returning "id"
  ), moved as (select w.* from wanted w join made m on m."id" = w."id"), wallets as (
    update "account" a set "spent" = a."spent" + d."change"
    from (select "user_id", sum("change")::bigint as "change" from moved group by 1) d where a."user_id" = d."user_id"
  ), tokens as (
    update "token" t set "spent" = t."spent" + d."change"
    from (select "token_id", sum("change")::bigint as "change" from moved where "token_id" > 0 group by 1) d where t."id" = d."token_id"
  )
  select count(*)::int as "made" from moved`;

/**
 * Posts the difference of each charge; what was booked stays as it is. A repeat of a run posts nothing. In transactions of 500, so that
 * booking goes on beside it. Answers how many postings were made.
 */
export async function postCorrections(
  query: Query,
  differences: readonly Difference[],
  order: CorrectionOrder,
): Promise<number> {
  await requireApproval(query, order);
  const reason = `${order.reason} (approved by user ${order.approvedBy})`.slice(0, 1000);
  let made = 0;
  for (let start = 0; start < differences.length; start += BATCH) {
    const batch = differences.slice(start, start + BATCH);
    const rows = batch.map(({ requestId, userId, tokenId, charged, rerated }) => ({
      ...{ id: uuidv7(), reference: `${order.run}:${requestId}` },
      ...{ user_id: userId, token_id: tokenId, change: rerated - charged },
    }));
    await query('begin');
    try {
      await query(lockWallets, [batch.map(({ userId }) => userId)]);
      await query(lockTokens, [batch.map(({ tokenId }) => tokenId)]);
      const [row] = await query<{ made: number }>(correct, [rowset(rows), order.requestedBy, reason]);
      await query('commit');
      made += row?.made ?? 0;
    } catch (error) {
      await query('rollback');
      throw error;
    }
  }
  return made;
}
