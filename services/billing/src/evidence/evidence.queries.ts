import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Approval } from '../approval/approval.entity.js';
import { correctedRequest, runOf } from '../correction/correction-names.js';
import type { PostingRow } from '../journal/journal.reply.js';
import { TopUpOrder, TopUpStep } from '../top-up/top-up-order.entity.js';
import { units } from '../units.js';

export interface Evidence extends PostingRow {
  replica_epoch: string | null;
  event_partition: number | null;
  event_offset: string | null;
  chain: string | null;
  position: string | null;
  hash: string | null;
  seal_number: string | null;
  sealed_at: Date | null;
}

interface LeaseFacts {
  granted: number;
  returned: number;
  booked: number;
}

const SAME_REFERENCE = 20;
/** Postings with their position in the chain and the first seal that covers them. */
const POSTINGS = `select p.*, l."chain", l."position", encode(l."hash", 'hex') as "hash", s."number" as "seal_number", s."sealed_at"
  from "posting" p left join "journal_link" l on l."posting_id" = p."id"
  left join lateral (
    select "number", "sealed_at" from "journal_seal" s where s."chain" = l."chain" and s."position" >= l."position" order by s."number" limit 1
  ) s on true`;

/** The charge of a request before and after a correction run, in units. */
export interface CorrectionTerms {
  charged: number;
  rerated: number;
}

export interface CodeFacts {
  name: string;
  /** User ids of the code's creator and of the user who redeemed it; 0 = none. */
  creator: number;
  usedBy: number;
  /** Unix seconds. */
  createdAt: number;
  /** One of `RedemptionStatus`. */
  status: number;
}

/** Reads what billing itself has stored about a movement. */
@Injectable()
export class EvidenceQueries {
  constructor(private readonly em: EntityManager) {}

  async posting(id: string): Promise<Evidence | undefined> {
    const [row] = await this.em.execute<Evidence[]>(`${POSTINGS} where p."id" = ?`, [id]);
    return row;
  }

  /** Movements with these references, oldest first. Consumption has no reference other than its own id. */
  async byReference(references: readonly string[], codes: readonly string[]): Promise<Evidence[]> {
    return this.em.execute<Evidence[]>(
      `${POSTINGS} where p."id" in (
         select "posting_id" from "posting_key" where "reference" in (select json_array_elements_text(?::json))
           and "code" in (select json_array_elements_text(?::json)) limit ?
       ) order by p."id"`,
      [JSON.stringify(references), JSON.stringify(codes), SAME_REFERENCE],
    );
  }

  async lease(userId: number, epoch: string): Promise<LeaseFacts | undefined> {
    const [row] = await this.em.execute<Record<keyof LeaseFacts, unknown>[]>(
      `select "granted", "returned", "booked" from "lease" where "kind" = 'wallet' and "account_id" = ? and "replica_epoch" = ?`,
      [userId, epoch],
    );
    return row && { granted: units(row.granted), returned: units(row.returned), booked: units(row.booked) };
  }

  /** The last time before that moment at which the price version was published. */
  async publishedAt(priceVersion: string, before: number): Promise<Date | undefined> {
    const [row] = await this.em.execute<{ published_at: Date | string }[]>(
      `select "published_at" from "price_publication" where "price_version" = ? and "published_at" <= ? order by "revision" desc limit 1`,
      [priceVersion, new Date(before).toISOString()],
    );
    return row && new Date(row.published_at);
  }

  async order(tradeNo: string): Promise<{ order: TopUpOrder; steps: TopUpStep[] } | undefined> {
    const order = await this.em.findOne(TopUpOrder, { tradeNo }, { disableIdentityMap: true });
    if (!order) return undefined;
    const orderBy = { id: 'asc' } as const;
    const steps = await this.em.find(TopUpStep, { orderId: order.id }, { orderBy, disableIdentityMap: true });
    return { order, steps };
  }

  /** The approved request behind a movement, if it needed one. */
  async approvalOf({
    code,
    reference,
    reason,
  }: Pick<Evidence, 'code' | 'reference' | 'reason'>): Promise<Approval | null> {
    if (code === 'correction') {
      const id = runOf(reason)?.approvalId;
      return id === undefined
        ? null
        : this.em.findOne(Approval, { id, kind: 'correction' }, { disableIdentityMap: true });
    }
    const command = { 'admin-adjustment': 'adjustment', 'token-budget': 'token-budget' }[code];
    const where = command
      ? { command: `${command}:${reference}` }
      : code === 'refund'
        ? { kind: 'refund' as const, subject: reference, status: 'approved' as const }
        : undefined;
    return where ? this.em.findOne(Approval, where, { disableIdentityMap: true }) : null;
  }

  /** The row of a correction run for the corrected request; `undefined` where the run has none. */
  async termsOf(approvalId: number, { reference }: Pick<Evidence, 'reference'>): Promise<CorrectionTerms | undefined> {
    const [row] = await this.em.execute<Record<keyof CorrectionTerms, unknown>[]>(
      `select "charged", "rerated" from "correction_row" where "approval_id" = ? and "request_id" = ?::uuid`,
      [approvalId, correctedRequest(reference)],
    );
    return row && { charged: units(row.charged), rerated: units(row.rerated) };
  }

  /**
   * The id of the posting whose event reported this row: for a correction the first posting of its run in the same
   * wallet, otherwise the row itself.
   */
  async reportingPostingOf({ id, code, user_id: userId, actor_id: actorId, reason }: Evidence): Promise<string> {
    if (code !== 'correction') return id;
    const [row] = await this.em.execute<{ id: string }[]>(
      `select "id" from "posting" where "user_id" = ? and "code" <> 'consumption' and "code" = 'correction' and "actor_id" = ? and "reason" = ?
       order by "id" limit 1`,
      [userId, actorId, reason],
    );
    return row?.id ?? id;
  }

  async codeOf(id: number): Promise<CodeFacts | undefined> {
    const [row] = await this.em.execute<
      { name: string; user_id: number; created_time: unknown; status: number; used_user_id: number }[]
    >(`select "name", "user_id", "created_time", "status", "used_user_id" from "redemption" where "id" = ?`, [id]);
    return (
      row && {
        name: row.name,
        creator: row.user_id,
        createdAt: units(row.created_time),
        status: row.status,
        usedBy: row.used_user_id,
      }
    );
  }
}
