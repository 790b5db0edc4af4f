import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { PERSON_PAGE, type PersonPage, type personOfBilling } from '@tollgate/contracts';
import { Clock, unixSeconds } from '@tollgate/chassis';
import type { z } from 'zod';
import { AccountService } from '../account/account.service.js';
import { Approval } from '../approval/approval.entity.js';
import { toApprovalReply } from '../four-eyes/approval.reply.js';
import { JournalQueries } from '../journal/journal.queries.js';
import { Redemption } from '../redemption/redemption.entity.js';
import { Token } from '../token/token.entity.js';
import { toTokenReply } from '../token/token.reply.js';
import { TopUpOrder, TopUpStep } from '../top-up/top-up-order.entity.js';
import { toOrderReply, toStepReply } from '../top-up/top-up.reply.js';

type Question = z.output<typeof personOfBilling.input>;
type Rows = Record<string, unknown>[];

/** Orders per page; each comes with its steps, of which there may be a few dozen. */
const ORDERS = 200;

/** Reads the data that billing stores about a person, oldest first, restricted to what the person may see. */
@Injectable()
export class PersonRows {
  constructor(
    private readonly em: EntityManager,
    private readonly accounts: AccountService,
    private readonly journal: JournalQueries,
    private readonly clock: Clock,
  ) {}

  page({ section, userId, after }: Question): Promise<PersonPage> {
    return this.sections[section](userId, after);
  }

  private readonly sections: Record<
    Question['section'],
    (userId: number, after: string | null) => Promise<PersonPage>
  > = {
    wallet: async (userId) => ({
      rows: (await this.accounts.balances([userId])).map((row) => ({ ...row })),
      next: null,
    }),
    tokens: (userId, after) => this.tokens(userId, after),
    orders: (userId, after) => this.orders(userId, after),
    redemptions: (userId, after) => this.redemptions(userId, after),
    journal: (userId, after) => this.journal.pageOf(userId, after, PERSON_PAGE),
    approvals: (userId, after) => this.approvals(userId, after),
  };

  /** Includes deleted tokens; no key is included. */
  private async tokens(userId: number, after: string | null): Promise<PersonPage> {
    const tokens = await this.em.find(Token, { userId, ...above(after) }, oldestFirst(PERSON_PAGE));
    return pageOf(tokens, PERSON_PAGE, (token) => {
      const { key: _, DeletedAt: __, ...row } = toTokenReply(token, '', this.clock.seconds());
      return { ...row, deleted_at: unixSeconds(token.deletedAt) };
    });
  }

  private async orders(userId: number, after: string | null): Promise<PersonPage> {
    const orders = await this.em.find(TopUpOrder, { userId, ...above(after) }, oldestFirst(ORDERS));
    const where = { orderId: { $in: orders.map(({ id }) => id) } };
    const steps = await this.em.find(TopUpStep, where, { orderBy: { id: 'asc' }, disableIdentityMap: true });
    const byOrder = Map.groupBy(steps, ({ orderId }) => orderId);
    return pageOf(orders, ORDERS, (order) => ({
      ...toOrderReply(order),
      steps: (byOrder.get(order.id) ?? []).map((step) => toStepReply(step, 'owner')),
    }));
  }

  private async redemptions(usedUserId: number, after: string | null): Promise<PersonPage> {
    const codes = await this.em.find(Redemption, { usedUserId, ...above(after) }, oldestFirst(PERSON_PAGE));
    return pageOf(codes, PERSON_PAGE, ({ id, quota, redeemedTime }) => ({ id, quota, redeemed_time: redeemedTime }));
  }

  /** Leaves out administrators' notes, and who they are. */
  private async approvals(userId: number, after: string | null): Promise<PersonPage> {
    const requests = await this.em.find(Approval, { userId, ...above(after) }, oldestFirst(PERSON_PAGE));
    return pageOf(requests, PERSON_PAGE, (request) => {
      const {
        requester_id: _,
        decider_id: __,
        reason: ___,
        note: ____,
        ...row
      } = toApprovalReply(request, this.clock.now());
      return row;
    });
  }
}

const above = (after: string | null) => ({ id: { $gt: Number(after ?? 0) } });
const oldestFirst = (limit: number) => ({ orderBy: { id: 'asc' }, limit, disableIdentityMap: true }) as const;

function pageOf<Row extends { id: number }>(
  rows: readonly Row[],
  limit: number,
  toReply: (row: Row) => Rows[number],
): PersonPage {
  return { rows: rows.map(toReply), next: rows.length === limit ? String(rows.at(-1)?.id) : null };
}
