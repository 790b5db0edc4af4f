import { EntityManager, LockMode } from '@mikro-orm/postgresql';
import { RequestContext } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { adminAction, type AuditAction } from '@tollgate/contracts';
import type { Approval as ApprovalReply, ApprovalKind, ApprovalStatus } from '@tollgate/contracts/api/approval';
import { AppError, type Caller, Clock, Lifecycle, Logger, periodically } from '@tollgate/chassis';
import { Outbox } from '@tollgate/database';
import { AdjustmentService } from '../account/adjustment.service.js';
import { RankGuard } from '../account/rank-guard.js';
import { CorrectionPoster } from '../correction/correction-poster.js';
import { CorrectionQueries } from '../correction/correction.queries.js';
import { TokenBudgets } from '../token/token-budgets.js';
import { OrderStateService } from '../top-up/order-state.service.js';
import { checkDecision, checkWithdrawal, requireOthers } from './approval-rules.js';
import { Approval } from '../approval/approval.entity.js';
import { approvalMissing, ApprovalQueries } from './approval.queries.js';
import { toApprovalReply } from './approval.reply.js';

const EXPIRY_CHECK_MS = 60_000;

/**
 * Errors because of which a request can never be carried out: it was done meanwhile, or its subject does not exist any
 * more.
 */
const FINAL: ReadonlySet<string> = new Set([
  'idempotency-key-reused',
  'user-not-found',
  'token-not-found',
  'top-up-not-paid',
  'correction-altered',
  'correction-outdated',
  'corrected-too-often',
]);

/** Kinds that give a user quota to spend. A refund, or the correction of a charge, may also concern a deleted user. */
const NEEDS_OWNER: ReadonlySet<ApprovalKind> = new Set(['adjustment', 'token-budget']);

interface Decision {
  status: Exclude<ApprovalStatus, 'pending' | 'expired'>;
  action: AuditAction;
  note: string;
  caller: Caller;
  check: typeof checkDecision;
}

/**
 * Decides requests. The row is locked first, so of two people who decide at the same time the second is told that it is
 * decided.
 */
@Injectable()
export class ApprovalDecisions {
  constructor(
    private readonly em: EntityManager,
    private readonly queries: ApprovalQueries,
    private readonly adjustments: AdjustmentService,
    private readonly budgets: TokenBudgets,
    private readonly orders: OrderStateService,
    private readonly corrections: CorrectionPoster,
    private readonly runs: CorrectionQueries,
    private readonly ranks: RankGuard,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
    logger: Logger,
    lifecycle: Lifecycle,
  ) {
    periodically({ lifecycle, logger }, 'expiry of approvals', EXPIRY_CHECK_MS, () =>
      RequestContext.create(em, () => this.expire()),
    );
  }

  /**
   * Carries out the request in the transaction that stores the decision. A repetition by the same person has no effect.
   */
  async approve(id: number, note: string, caller: Caller): Promise<ApprovalReply> {
    const { userId, requesterId, kind, status } = await this.queries.find(id);
    const users = kind === 'correction' ? await this.runs.usersOf(id) : [userId];
    requireOthers(users, caller.userId);
    await this.ranks.requireAboveAll(caller, users);
    await this.ranks.requireInOffice(requesterId, users);
    const decision = { status: 'approved', action: 'approval-approve', note, caller, check: checkDecision } as const;
    try {
      if (status === 'pending' && NEEDS_OWNER.has(kind)) await this.ranks.requirePresent(userId);
      return await this.decide(id, decision, (request) => this.effects[request.kind](request));
    } catch (error) {
      if (error instanceof AppError && FINAL.has(error.code)) await this.close(id, error, caller);
      throw error;
    }
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
    refund: (request) => this.orders.carryOut(request),
    correction: (request) => this.corrections.carryOut(request),
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
        ...(userId > 0 && { userId }),
        before: { status: 'pending', requesterId },
        after: { status, kind, change, note },
      });
      return toApprovalReply(request, now);
    });
  }

  /** Closes a request that can never be carried out, with the reason as its note. */
  private async close(id: number, { code, message }: AppError, { userId: actorId }: Caller): Promise<void> {
    await this.em.transactional(async (em) => {
      const request = await em.findOne(Approval, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
      if (request?.status !== 'pending') return;
      request.status = 'expired';
      request.note = message;
      await em.flush();
      const after = { status: 'expired', reason: code, note: message };
      await this.outbox.add(adminAction, { actorId, action: 'approval-close', subject: `approval:${id}`, after });
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
