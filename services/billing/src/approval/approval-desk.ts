import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { adminAction } from '@tollgate/contracts';
import type { ApprovalKind } from '@tollgate/contracts/api/approval';
import { AppError, Clock, OptionStore } from '@tollgate/chassis';
import { Outbox } from '@tollgate/database';
import { Approval } from './approval.entity.js';

/** Long enough for a colleague's holiday, short enough that nobody agrees to what is forgotten. */
export const APPROVAL_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

/** What somebody wants to be done. */
export interface Wish {
  kind: ApprovalKind;
  /** The natural key of the movement: a repeat of the command finds its request. */
  command: string;
  userId: number;
  tokenId?: number;
  /** Units, above zero towards the user. */
  change: number;
  subject?: string;
  reason?: string;
  payload: Record<string, unknown>;
  requesterId: number;
}

/** Where movements above a limit are laid down until a second administrator agrees. Its methods join the caller's transaction. */
@Injectable()
export class ApprovalDesk {
  constructor(
    private readonly em: EntityManager,
    private readonly outbox: Outbox,
    private readonly options: OptionStore,
    private readonly clock: Clock,
  ) {}

  /** Whether so many units take two people. A limit of 0 says that one is enough. */
  needs(kind: ApprovalKind, change: number): boolean {
    const limit = this.limitOf(kind);
    return limit > 0 && Math.abs(change) > limit;
  }

  /**
   * Lays the wish down and answers the refusal that says so; it is thrown once the request is committed. The caller has locked the row
   * that is to be moved, so that the same wish made twice at once is one request.
   */
  async ask(wish: Wish): Promise<AppError> {
    const known = await this.find(wish);
    if (known) return refusalFor(known);
    const now = this.clock.now();
    const { kind, userId, change, requesterId, reason = '', subject = '', tokenId = 0 } = wish;
    const request = this.em.create(Approval, {
      ...wish,
      ...{ reason, subject, tokenId },
      createdAt: new Date(now),
      expiresAt: new Date(now + APPROVAL_LIFETIME_MS),
    });
    await this.em.flush();
    await this.outbox.add(adminAction, {
      actorId: requesterId,
      action: 'approval-request',
      subject: `approval:${request.id}`,
      userId,
      after: { kind, change, reason, subject, tokenId, limit: this.limitOf(kind) },
    });
    return refusalFor(request);
  }

  /** By its command, else one of the same person for the same thing that still waits. */
  private async find({ kind, command, userId, tokenId = 0, change, subject = '', requesterId }: Wish) {
    const known = await this.em.findOne(Approval, { command }, { refresh: true });
    if (known) return known;
    const same = { kind, userId, tokenId, change, subject, requesterId, status: 'pending' as const };
    return this.em.findOne(Approval, { ...same, expiresAt: { $gt: new Date(this.clock.now()) } }, { refresh: true });
  }

  private limitOf(kind: ApprovalKind): number {
    return this.options.get(kind === 'refund' ? 'RefundApprovalLimit' : 'AdjustmentApprovalLimit');
  }
}

function refusalFor({ id, status, note }: Approval): AppError {
  const details = { params: { id, note } };
  if (status === 'refused')
    return new AppError('conflict', 'approval-was-refused', `审批申请 #${id} 已被拒绝：${note}`, details);
  if (status === 'expired' || status === 'withdrawn')
    return new AppError('conflict', 'approval-is-over', `审批申请 #${id} 已过期或已撤回，请重新提交`, details);
  return new AppError(
    'conflict',
    'approval-required',
    `金额超过审批限额，已提交审批申请 #${id}，由另一位管理员批准后生效`,
    {
      params: { id },
    },
  );
}
