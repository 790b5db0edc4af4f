import { House } from '../journal/journal.service.js';
import type { Query } from '../seal/chain-rows.js';
import { units } from '../units.js';
import { correctedRequest, correctionNames } from './correction-names.js';

const chargesOf = `select "id"::text as "id", "amount", "user_id", "token_id" from "posting" where "code" = 'consumption' and "id" = any($1::uuid[])`;
const changesOf = `select k."reference", p."amount", p."debit" from "posting_key" k join "posting" p on p."id" = k."posting_id"
  where k."code" = 'correction' and k."reference" = any($1::text[])`;
/** A task that cost nothing when it failed has no refund posting, so `task_refund` is queried as well. */
const refundedOf = `select "request_id"::text as "id" from "task_refund" where "request_id" = any($1::uuid[]) and "done_at" is not null
  union select "reference" from "posting_key" where "code" = 'task-refund' and "reference" = any($2::text[])`;

/** The current charge of a request in the journal, and how often it was corrected. */
interface CurrentCharge {
  charged: number;
  userId: number;
  tokenId: number;
  corrections: number;
  isRefunded: boolean;
}

/**
 * Units charged by request id: the consumption with all corrections applied. A task's refund returns all of it, so it
 * is reported separately.
 */
export async function bookedByNow(query: Query, ids: readonly string[]): Promise<Map<string, CurrentCharge>> {
  const charges = await query<{ id: string; amount: string; user_id: number; token_id: number }>(chargesOf, [ids]);
  const booked = new Map<string, CurrentCharge>(
    charges.map(({ id, amount, user_id: userId, token_id: tokenId }) => [
      id,
      { charged: units(amount), userId, tokenId, corrections: 0, isRefunded: false },
    ]),
  );
  const known = [...booked.keys()];
  const changes = await query<{ reference: string; amount: string; debit: string }>(changesOf, [
    known.flatMap(correctionNames),
  ]);
  for (const { reference, amount, debit } of changes) {
    const entry = booked.get(correctedRequest(reference));
    if (!entry) continue;
    entry.corrections += 1;
    entry.charged += debit === House.revenue ? -units(amount) : units(amount);
  }
  for (const { id } of await query<{ id: string }>(refundedOf, [known, known])) {
    const entry = booked.get(id);
    if (entry) entry.isRefunded = true;
  }
  return booked;
}
