import { isDeepStrictEqual } from 'node:util';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { adminAction } from '@tollgate/contracts';
import type { ApprovalKind } from '@tollgate/contracts/api/approval';
import { AppError, Clock, OptionStore } from '@tollgate/chassis';
import { Outbox } from '@tollgate/database';
import { Approval } from './approval.entity.js';

/** Long enough for a colleague's holiday, short enough that nobody agrees to what is forgotten. */
export const APPROVAL_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

const DONE_MEANWHILE = '已通过其他方式执行，无需审批';

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
    const known = await this.em.findOne(Approval, { command: wish.command }, { refresh: true });
    if (known) return refusalFor(known);
    const waiting = await this.findWaiting(wish);
    if (waiting) return isSame(waiting, wish) ? refusalFor(waiting) : differs(waiting);
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

  /**
   * What was asked for has been done another way: by the same command under a higher limit, or by a colleague's request. One that somebody
   * decides at this moment is left to them, and closes when they find it done.
   */
  async closeDone({ command = '', kind = '', subject = '' }: Partial<Record<'command' | 'kind' | 'subject', string>>) {
    await this.em.execute(
      `update "approval" set "status" = 'expired', "note" = ? where "id" in (
         select "id" from "approval" where "status" = 'pending' and ("command" = ? or ("kind" = ? and "subject" = ?)) for update skip locked)`,
      [DONE_MEANWHILE, command, kind, subject],
      'run',
    );
  }

  /**
   * The same person has done the same without asking, as under a limit that was raised meanwhile. Nobody shall agree to it once more: while it
   * waited it was one wish, however often it was made.
   */
  async closeSame({ kind, userId, tokenId = 0, change, requesterId, reason = '' }: Omit<Wish, 'command' | 'payload'>) {
    await this.em.execute(
      `update "approval" set "status" = 'expired', "note" = ? where "id" in (
         select "id" from "approval" where "status" = 'pending' and ("kind", "user_id", "token_id", "change", "requester_id", "reason") = (?, ?, ?, ?, ?, ?)
         for update skip locked)`,
      [DONE_MEANWHILE, kind, userId, tokenId, change, requesterId, reason],
      'run',
    );
  }

  /** One of the same person for the same thing that still waits. */
  private async findWaiting({ kind, userId, tokenId = 0, change, subject = '', requesterId }: Wish) {
    const same = { kind, userId, tokenId, change, subject, requesterId, status: 'pending' as const };
    return this.em.findOne(Approval, { ...same, expiresAt: { $gt: new Date(this.clock.now()) } }, { refresh: true });
  }

  private limitOf(kind: ApprovalKind): number {
    return this.options.get(kind === 'refund' ? 'RefundApprovalLimit' : 'AdjustmentApprovalLimit');
  }
}

/** How a command is known by; two wishes that differ in nothing else are one. */
const COMMAND_MEMBERS: ReadonlySet<string> = new Set(['commandId', 'reference', 'fingerprint']);

const termsOf = (payload: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(payload).filter(([name]) => !COMMAND_MEMBERS.has(name)));

/** Other terms are another wish: nobody shall agree to what was not asked for last. */
const isSame = (waiting: Approval, { payload, reason = '' }: Wish): boolean =>
  waiting.reason === reason && isDeepStrictEqual(termsOf(waiting.payload), termsOf(payload));

const differs = ({ id }: Approval): AppError =>
  new AppError('conflict', 'approval-differs', `已有待审批的申请 #${id}，内容不同，请先撤回或等待处理`, {
    params: { id },
  });

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
