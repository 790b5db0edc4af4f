import { EntityManager, LockMode } from '@mikro-orm/postgresql';
import { RequestContext } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { adminAction } from '@tollgate/contracts';
import type { Approval as ApprovalReply, ApprovalKind, ApprovalStatus } from '@tollgate/contracts/api/approval';
import { type Caller, Clock, Lifecycle, Logger, periodically } from '@tollgate/chassis';
import { Outbox } from '@tollgate/database';
import { AdjustmentService } from '../account/adjustment.service.js';
import { RankGuard } from '../account/rank-guard.js';
import { TokenBudgets } from '../token/token-budgets.js';
import { SettlementService } from '../top-up/settlement.service.js';
import { checkDecision, checkWithdrawal } from './approval-rules.js';
import { Approval } from '../approval/approval.entity.js';
import { approvalMissing, ApprovalQueries } from './approval.queries.js';
import { toApprovalReply } from './approval.reply.js';

const EXPIRY_LOOK_MS = 60_000;

interface Decision {
  status: Exclude<ApprovalStatus, 'pending' | 'expired'>;
  action: string;
  note: string;
  caller: Caller;
  check: typeof checkDecision;
}

/** What becomes of requests. The row is locked first, so of two people who decide at once the second hears that it is done. */
@Injectable()
export class ApprovalDecisions {
  constructor(
    private readonly em: EntityManager,
    private readonly queries: ApprovalQueries,
    private readonly adjustments: AdjustmentService,
    private readonly budgets: TokenBudgets,
    private readonly settlement: SettlementService,
    private readonly ranks: RankGuard,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
    logger: Logger,
    lifecycle: Lifecycle,
  ) {
    periodically({ lifecycle, logger }, 'expiry of approvals', EXPIRY_LOOK_MS, () =>
      RequestContext.create(em, () => this.expire()),
    );
  }

  /** Carries out what was asked for, in the transaction that notes the decision. A repeat by the same person changes nothing. */
  async approve(id: number, note: string, caller: Caller): Promise<ApprovalReply> {
    const { userId } = await this.queries.find(id);
    await this.ranks.requireAbove(caller, userId);
    const decision = { status: 'approved', action: 'approval-approve', note, caller, check: checkDecision } as const;
    return this.decide(id, decision, (request) => this.effects[request.kind](request));
  }

  async refuse(id: number, note: string, caller: Caller): Promise<ApprovalReply> {
    return this.decide(id, { status: 'refused', action: 'approval-refuse', note, caller, check: checkDecision });
  }

  async withdraw(id: number, caller: Caller): Promise<ApprovalReply> {
    const decision = { status: 'withdrawn', action: 'approval-withdraw', note: '', caller } as const;
    return this.decide(id, { ...decision, check: checkWithdrawal });
  }

  private readonly effects: Record<ApprovalKind, (request: Approval) => Promise<unknown>> = {
    adjustment: (request) => this.adjustments.carryOut(request),
    'token-budget': (request) => this.budgets.carryOut(request),
    refund: (request) => this.settlement.carryOut(request),
  };

  private async decide(
    id: number,
    { status, action, note, caller, check }: Decision,
    effect?: (request: Approval) => Promise<unknown>,
  ): Promise<ApprovalReply> {
    return this.em.transactional(async (em) => {
      const request = await em.findOne(Approval, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
      if (!request) throw approvalMissing(id);
      const now = this.clock.now();
      if (request.status === status && request.deciderId === caller.userId) return toApprovalReply(request, now);
      check(request, caller.userId, now);
      request.status = status;
      request.deciderId = caller.userId;
      request.decidedAt = new Date(now);
      request.note = note;
      await em.flush();
      await effect?.(request);
      const { kind, userId, change, requesterId } = request;
      await this.outbox.add(adminAction, {
        actorId: caller.userId,
        action,
        subject: `approval:${id}`,
        userId,
        before: { status: 'pending', requesterId },
        after: { status, kind, change, note },
      });
      return toApprovalReply(request, now);
    });
  }

  private async expire(): Promise<void> {
    const now = new Date(this.clock.now()).toISOString();
    await this.em.execute(
      `update "approval" set "status" = 'expired' where "status" = 'pending' and "expires_at" <= ?`,
      [now],
      'run',
    );
  }
}
