import type { PostingReply } from '@tollgate/contracts/api/journal';
import { timeOfId, unixSeconds } from '@tollgate/chassis';
import { units } from '../units.js';

/** A row of the journal as the database returns it. */
export interface PostingRow {
  id: string;
  code: string;
  debit: string;
  credit: string;
  amount: unknown;
  user_id: number;
  token_id: number;
  reference: string;
  price_version: string | null;
  actor_id: number | null;
  reason: string | null;
  model: string;
  group: string;
  channel_id: number;
  booked_at: Date | string;
}

/** `own`: as the owner of the wallet sees the row, without the acting user and the channel. */
export function toPostingReply(row: PostingRow, own: boolean): PostingReply {
  const amount = units(row.amount);
  return {
    id: row.id,
    time: Math.floor(timeOfId(row.id) / 1000),
    booked_at: unixSeconds(row.booked_at),
    code: row.code,
    debit: row.debit,
    credit: row.credit,
    amount,
    change: changeOf(row, amount),
    user_id: row.user_id,
    token_id: row.token_id,
    reference: row.reference,
    price_version: row.price_version ?? '',
    model: row.model,
    group: row.group,
    reason: own && isNote(row) ? '' : (row.reason ?? ''),
    ...(!own && { channel_id: row.channel_id, actor_id: row.actor_id ?? 0 }),
  };
}

/**
 * Whether the reason is an internal note between administrators. The reason of a refund is meant for the order's owner.
 */
const isNote = ({ actor_id: actorId, user_id: userId, code }: PostingRow): boolean =>
  actorId !== null && actorId !== userId && code !== 'refund';

function changeOf({ debit, credit }: PostingRow, amount: number): number {
  if (credit.startsWith('wallet:')) return amount;
  return debit.startsWith('wallet:') ? 0 - amount : 0;
}
