import { House } from '../journal/journal.service.js';
import type { Query } from '../seal/chain-rows.js';
import { units } from '../units.js';
import { correctionNames } from './correction-names.js';

const chargesOf = `select "id"::text as "id", "amount" from "posting" where "code" = 'consumption' and "id" = any($1::uuid[])`;
const changesOf = `select k."code", k."reference", p."amount", p."debit" from "posting_key" k join "posting" p on p."id" = k."posting_id"
  where k."code" in ('correction', 'task-refund') and k."reference" = any($1::text[])`;

/** What the journal says a request has cost by now, and how often that was corrected. */
export interface Booked {
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
