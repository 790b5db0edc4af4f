import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { adminAction, quotaAdjusted, tokenChanged } from '@tollgate/contracts';
import { bound, outboxRow, type OutboxRow } from '@tollgate/database';
import { QuotaTexts } from '../account/quota-texts.js';
import { requireRoom } from '../account/room.js';
import { RecallBoard } from '../lease/recall-board.js';
import { ChangeRevisions } from '../revision/change-revisions.js';
import { rowset, units } from '../units.js';

/** A posted correction. */
export interface Correction {
  /** The id of its posting. */
  id: string;
  user_id: number;
  token_id: number;
  /** Units, above zero when the user pays more. */
  change: number;
}
interface CorrectionOrder {
  approvalId: number;
  reason: string;
  requestedBy: number;
  approvedBy: number;
}
interface MovedWallet {
  user_id: number;
  requests: number;
  change: string;
  credit: string;
  quota: string;
  is_short: boolean;
}

const moveWallets = `update "account" a set "spent" = a."spent" + d."change"
  from (select "user_id", sum("change")::bigint as "change", count(*)::int as "requests"
    from json_to_recordset($1::json) as e("user_id" int, "change" bigint) group by 1) d
  where a."user_id" = d."user_id"
  returning a."user_id", d."requests", d."change", a."credit", a."credit" - a."spent" as "quota", a."credit" - a."spent" < a."held" as "is_short"`;

/**
 * Relays must learn when a token's budget is used up by a correction, or is available again; `turned` selects those.
 */
const moveTokens = `update "token" t set "spent" = t."spent" + d."change"
  from (select "token_id", sum("change")::bigint as "change"
    from json_to_recordset($1::json) as e("token_id" int, "change" bigint) where "token_id" > 0 group by 1) d
  where t."id" = d."token_id"
  returning t."id", not t."unlimited_quota" and t."credit" - t."spent" < t."held" as "is_short",
    t."deleted_at" is null and not t."unlimited_quota"
      and (t."credit" <= t."spent") <> (t."credit" <= t."spent" - d."change") as "turned"`;

const markTokens = `update "token" set "revision" = $1 where "id" = any($2::int[]) returning "id", "user_id"`;

/** One statement for all events, since a run may concern many thousands of users. */
const addAll = `insert into "outbox_event" ("topic", "key", "value")
  select "topic", "key", "value" from json_to_recordset($1::json) as e("number" int, "topic" text, "key" text, "value" text) order by "number"`;

/**
 * Moves the balances of corrected accounts and adds the resulting events to the outbox, in the caller's transaction,
 * which has locked the accounts. Throws `quota-out-of-range` where a wallet would owe more than it may.
 */
@Injectable()
export class CorrectionEvents {
  constructor(
    private readonly em: EntityManager,
    private readonly recalls: RecallBoard,
    private readonly revisions: ChangeRevisions,
    private readonly texts: QuotaTexts,
  ) {}

  async moveBalances(rows: readonly Correction[], order: CorrectionOrder): Promise<void> {
    const wallets = await bound<MovedWallet>(this.em, moveWallets, [rowset(rows)]);
    wallets.forEach(requireRoomIn);
    const tokens = await bound<{ id: number; is_short: boolean; turned: boolean }>(this.em, moveTokens, [rowset(rows)]);
    // Leased quota that is no longer covered comes back with the next heartbeats of the replicas that hold it.
    await this.recalls.request([
      ...wallets.filter((row) => row.is_short).map((row) => ({ kind: 'wallet' as const, id: row.user_id })),
      ...tokens.filter((row) => row.is_short).map((row) => ({ kind: 'token' as const, id: row.id })),
    ]);
    const turned = tokens.filter((row) => row.turned).map((row) => row.id);
    const firsts = firstsOf(rows);
    const events = [
      ...(turned.length > 0 ? await this.tokenEvents(turned) : []),
      ...wallets.flatMap((wallet) => this.walletEvents(wallet, order, firsts.get(wallet.user_id))),
    ];
    await bound(this.em, addAll, [rowset(events.map((row, number) => ({ number, ...row })))]);
  }

  private async tokenEvents(ids: readonly number[]): Promise<OutboxRow[]> {
    const revision = await this.revisions.next('token');
    const rows = await bound<{ id: number; user_id: number }>(this.em, markTokens, [revision, ids]);
    return rows.map(({ id: tokenId, user_id: userId }) =>
      outboxRow(tokenChanged, 'billing', { userId, tokenId, revision }),
    );
  }

  /**
   * Reports the correction to the user's log and the audit log, just like an adjustment. In the user's log it has the
   * id of the wallet's first posting.
   */
  private walletEvents(
    { user_id: userId, requests, change, quota }: MovedWallet,
    order: CorrectionOrder,
    id: string | undefined,
  ): OutboxRow[] {
    const { approvalId, reason, requestedBy: actorId, approvedBy } = order;
    const after = units(quota);
    const before = after + units(change);
    const [beforeText, afterText] = [this.texts.logText(before), this.texts.logText(after)];
    return [
      outboxRow(quotaAdjusted, 'billing', { userId, actorId, before, after, beforeText, afterText }, id),
      outboxRow(adminAction, 'billing', {
        ...{ actorId, action: 'charges-correct', subject: `user:${userId}`, userId },
        before: { quota: before },
        after: { quota: after, requests, reason, approvedBy, approval: approvalId },
      }),
    ];
  }
}

function requireRoomIn({ change: by, credit, quota }: MovedWallet): void {
  const change = -Number(by);
  requireRoom({ before: Number(quota) - change, change, credit: units(credit) });
}

/**
 * The first posting of each wallet. One event reports all that the run moved in a wallet, under the id of that posting.
 */
function firstsOf(rows: readonly Correction[]): Map<number, string> {
  const firsts = new Map<number, string>();
  for (const { id, user_id: userId } of rows) {
    const known = firsts.get(userId);
    if (known === undefined || id < known) firsts.set(userId, id);
  }
  return firsts;
}
