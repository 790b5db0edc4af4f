import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { AppError } from '@tollgate/chassis';
import { bound } from '@tollgate/database';
import { v7 as uuidv7 } from 'uuid';
import type { Approval } from '../approval/approval.entity.js';
import { House } from '../journal/journal.service.js';
import type { Query } from '../seal/chain-rows.js';
import { rowset, units } from '../units.js';
import { bookedByNow } from './booked-now.js';
import { type Correction, CorrectionEvents } from './correction-events.js';
import { correctionNames, MOST_CORRECTIONS, runNote } from './correction-names.js';
import { type CorrectionRow, rowsDigest } from './correction-row.js';

const AT_ONCE = 1000;

/** Accounts are locked in the same order as by booking: wallets, then tokens, by id. */
const lockWallets = `select 1 from "account" where "user_id" in (select "user_id" from "correction_row" where "approval_id" = $1)
  order by "user_id" for update`;
const lockTokens = `select 1 from "token" where "id" in (select "token_id" from "correction_row" where "approval_id" = $1) order by "id" for update`;
const nextRows = `select "number", "request_id"::text as "request_id", "user_id", "token_id", "model", "group", "channel_id", "charged", "rerated"
  from "correction_row" where "approval_id" = $1 and "number" > $2 order by "number" limit ${AT_ONCE}`;

const correct = `with wanted as (
    select * from json_to_recordset($1::json) as e("id" uuid, "reference" text, "user_id" int, "token_id" int, "change" bigint,
      "model" text, "group" text, "channel_id" int)
  ), named as (
    insert into "posting_key" ("code", "reference", "posting_id") select 'correction', "reference", "id" from wanted
  )
  insert into "posting" ("id", "code", "debit", "credit", "amount", "user_id", "token_id", "reference", "actor_id", "reason", "model", "group", "channel_id")
  select w."id", 'correction', case when w."change" > 0 then 'wallet:' || w."user_id" else '${House.revenue}' end,
    case when w."change" > 0 then '${House.revenue}' else 'wallet:' || w."user_id" end, abs(w."change"), w."user_id", w."token_id", w."reference",
    $2::int, $3::text, w."model", w."group", w."channel_id"
  from wanted w order by w."id"`;

type StoredCorrection = Omit<CorrectionRow, 'charged' | 'rerated'> & {
  number: number;
  charged: string;
  rerated: string;
};
interface Posted extends Correction {
  reference: string;
  model: string;
  group: string;
  channel_id: number;
}

/** Posts an approved correction run: exactly the rows that were approved, all of them or none. */
@Injectable()
export class CorrectionPoster {
  private readonly query: Query;

  constructor(
    private readonly em: EntityManager,
    private readonly events: CorrectionEvents,
  ) {
    this.query = (text, values = []) => bound(em, text, values);
  }

  /**
   * Joins the transaction of the approval. Throws where the rows differ from those that were laid down, or where a
   * request was corrected or refunded since.
   */
  async carryOut({ id: approvalId, payload, reason, requesterId, deciderId }: Approval): Promise<void> {
    const order = { approvalId, reason, requestedBy: requesterId, approvedBy: deciderId ?? 0 };
    const [found] = await this.query<{ digest: string }>(rowsDigest, [approvalId]);
    if (found?.digest !== payload['digest']) throw altered();
    await this.query(lockWallets, [approvalId]);
    await this.query(lockTokens, [approvalId]);
    const text = `${reason}${runNote(approvalId, order.approvedBy)}`;
    const posted: Correction[] = [];
    for (let last = 0; ;) {
      const rows = await this.query<StoredCorrection>(nextRows, [approvalId, last]);
      const postings = await this.postingsOf(rows);
      if (postings.length > 0) await this.query(correct, [rowset(postings), requesterId, text]);
      for (const { id, user_id, token_id, change } of postings) posted.push({ id, user_id, token_id, change });
      if (rows.length < AT_ONCE) break;
      last = rows.at(-1)?.number ?? 0;
    }
    await this.events.moveBalances(posted, order);
  }

  /** The postings of the rows, checked against the journal while the wallets are locked. */
  private async postingsOf(rows: readonly StoredCorrection[]): Promise<Posted[]> {
    const booked = await bookedByNow(
      this.query,
      rows.map((row) => row.request_id),
    );
    return rows.map(({ request_id: requestId, charged, rerated, user_id, token_id, model, group, channel_id }) => {
      const now = booked.get(requestId);
      if (now && (now.userId !== user_id || now.tokenId !== token_id)) throw altered();
      if (!now || now.isRefunded || now.charged !== units(charged))
        throw refusal('correction-outdated', `请求 ${requestId} 的费用在提交后已变化，未入账，请重新提交`, requestId);
      const reference = correctionNames(requestId)[now.corrections];
      if (reference === undefined)
        throw refusal(
          'corrected-too-often',
          `请求 ${requestId} 已修正 ${MOST_CORRECTIONS} 次，请改为调整余额`,
          requestId,
        );
      const change = units(rerated) - units(charged);
      return { id: uuidv7(), reference, user_id, token_id, change, model, group, channel_id };
    });
  }
}

const altered = (): AppError =>
  new AppError('conflict', 'correction-altered', '修正明细与提交时的摘要不一致，未入账，请重新提交');

const refusal = (code: string, message: string, request: string): AppError =>
  new AppError('conflict', code, message, { params: { request, most: MOST_CORRECTIONS } });
