import { AppError } from '@tollgate/chassis';
import { v7 as uuidv7 } from 'uuid';
import { House } from '../journal/journal.service.js';
import { rowset, units } from '../units.js';
import { correctionNames, MOST_CORRECTIONS } from './correction-names.js';
import { tellCorrections } from './correction-events.js';
import type { Query } from '../seal/chain-rows.js';
import type { Difference } from './rerating.js';

export interface CorrectionOrder {
  reason: string;
  requestedBy: number;
  approvedBy: number;
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

const chargesOf = `select "id"::text as "id", "amount" from "posting" where "code" = 'consumption' and "id" = any($1::uuid[])`;
const changesOf = `select k."code", k."reference", p."amount", p."debit" from "posting_key" k join "posting" p on p."id" = k."posting_id"
  where k."code" in ('correction', 'task-refund') and k."reference" = any($1::text[])`;

const correct = `with wanted as (
    select * from json_to_recordset($1::json) as e("id" uuid, "reference" text, "user_id" int, "token_id" int, "change" bigint)
  ), named as (
    insert into "posting_key" ("code", "reference", "posting_id") select 'correction', "reference", "id" from wanted
  )
  insert into "posting" ("id", "code", "debit", "credit", "amount", "user_id", "token_id", "reference", "actor_id", "reason")
  select w."id", 'correction', case when w."change" > 0 then 'wallet:' || w."user_id" else '${House.revenue}' end,
    case when w."change" > 0 then '${House.revenue}' else 'wallet:' || w."user_id" end, abs(w."change"), w."user_id", w."token_id", w."reference",
    $2::int, $3::text
  from wanted w order by w."id"`;

/** What the journal says a request has cost by now, and how often that was corrected. */
interface Booked {
  charged: number;
  corrections: number;
  isRefunded: boolean;
}

/** Units charged by request id: consumption, and what corrections have made of it. A task's refund gives all of it back, so it is told apart. */
export async function bookedByNow(query: Query, ids: readonly string[]): Promise<Map<string, Booked>> {
  const charges = await query<{ id: string; amount: string }>(chargesOf, [ids]);
  const booked = new Map<string, Booked>(
    charges.map(({ id, amount }) => [id, { charged: units(amount), corrections: 0, isRefunded: false }]),
  );
  const names = [...booked.keys()].flatMap(correctionNames);
  for (const row of await query<{ code: string; reference: string; amount: string; debit: string }>(changesOf, [
    names,
  ])) {
    const entry = booked.get(row.reference.split(':')[0] ?? '');
    if (!entry) continue;
    if (row.code === 'task-refund') entry.isRefunded = true;
    else {
      entry.corrections += 1;
      entry.charged += row.debit === House.revenue ? -units(row.amount) : units(row.amount);
    }
  }
  return booked;
}

/**
 * Posts what each request is still short of, or above, its new charge; what was booked stays as it is. What counts is the journal under
 * the lock of the wallet, so a repeat posts nothing, however the run is named. Requests of tasks that were refunded are left alone.
 * In transactions of 500, so that booking goes on beside it. Answers how many postings were made.
 */
export async function postCorrections(
  query: Query,
  differences: readonly Difference[],
  order: CorrectionOrder,
): Promise<number> {
  await requireApproval(query, order);
  let made = 0;
  for (let start = 0; start < differences.length; start += BATCH) {
    await query('begin');
    try {
      made += await correctBatch(query, differences.slice(start, start + BATCH), order);
      await query('commit');
    } catch (error) {
      await query('rollback');
      throw error;
    }
  }
  return made;
}

async function correctBatch(query: Query, batch: readonly Difference[], order: CorrectionOrder): Promise<number> {
  await query(lockWallets, [batch.map(({ userId }) => userId)]);
  await query(lockTokens, [batch.map(({ tokenId }) => tokenId)]);
  const booked = await bookedByNow(
    query,
    batch.map(({ requestId }) => requestId),
  );
  const rows = batch.flatMap(({ requestId, userId, tokenId, rerated }) => {
    const now = booked.get(requestId.toLowerCase());
    if (!now || now.isRefunded || now.charged === rerated) return [];
    const reference = correctionNames(requestId.toLowerCase())[now.corrections];
    if (reference === undefined)
      throw new AppError(
        'conflict',
        'corrected-too-often',
        `Request ${requestId} was corrected ${MOST_CORRECTIONS} times. Adjust the wallet instead.`,
      );
    return [{ id: uuidv7(), reference, user_id: userId, token_id: tokenId, change: rerated - now.charged }];
  });
  if (rows.length === 0) return 0;
  const reason = `${order.reason} (approved by user ${order.approvedBy})`.slice(0, 1000);
  await query(correct, [rowset(rows), order.requestedBy, reason]);
  await tellCorrections(query, rows, order);
  return rows.length;
}
