import { isDeepStrictEqual } from 'node:util';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { adminAction } from '@tollgate/contracts';
import type { ApprovalKind } from '@tollgate/contracts/api/approval';
import { AppError, Clock, OptionStore } from '@tollgate/chassis';
import { Outbox } from '@tollgate/database';
import { keyReused } from '../journal/journal.service.js';
import { Approval } from './approval.entity.js';

/** Long enough for a colleague's holiday, short enough that no forgotten request is approved. */
export const APPROVAL_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

const DONE_MEANWHILE = '已通过其他方式执行，无需审批';

/** A movement that is requested. */
interface Wish {
  kind: ApprovalKind;
  /** The natural key of the movement, by which a repetition of the command finds its request. */
  command: string;
  userId: number;
  tokenId?: number;
  /** Units, above zero in the user's favour. */
  change: number;
  /** The balance to be set, where the command names that instead of a change. */
  target?: number;
  subject?: string;
  reason?: string;
  payload: Record<string, unknown>;
  requesterId: number;
}

/**
 * Keeps requests for movements above a limit until a second administrator decides. All methods join the caller's
 * transaction.
 */
@Injectable()
export class ApprovalDesk {
  constructor(
    private readonly em: EntityManager,
    private readonly outbox: Outbox,
    private readonly options: OptionStore,
    private readonly clock: Clock,
  ) {}

  /** Whether a movement of this size needs a second administrator. A limit of 0 switches approvals off. */
  needs(kind: ApprovalKind, change: number): boolean {
    const limit = this.limitOf(kind);
    return limit > 0 && Math.abs(change) > limit;
  }

  /**
   * Stores the request and returns the refusal that states it; the caller throws that after the commit. The caller has
   * locked the row to be moved, so that two simultaneous requests for the same movement become one.
   */
  async request(wish: Wish): Promise<AppError> {
    const known = await this.em.findOne(Approval, { command: wish.command }, { refresh: true });
    if (known) return refusalFor(known);
    const waiting = await this.findWaiting(wish);
    if (waiting) return isSame(waiting, wish) ? refusalFor(waiting) : differs(waiting);
    const now = this.clock.now();
    const { target, ...asked } = wish;
    const { kind, userId, change, requesterId, reason = '', subject = '', tokenId = 0 } = asked;
    const request = this.em.create(Approval, {
      ...asked,
      ...{ reason, subject, tokenId, payload: { ...asked.payload, ...(target !== undefined && { target }) } },
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

  /** Throws `idempotency-key-reused` where a request has this name and is for another command. */
  async requireSame(command: string, fingerprint: string | undefined): Promise<void> {
    const known = await this.em.findOne(Approval, { command }, { refresh: true });
    if (known && known.payload['fingerprint'] !== fingerprint) throw keyReused();
  }

  /**
   * Closes requests whose movement was carried out another way: by the same command under a higher limit, or by a
   * colleague's request. A request that is being decided at this moment is skipped; its decision finds that the
   * movement is done.
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
   * Closes requests whose requester has done the same without approval, for example after the limit was raised.
   * Otherwise the movement could be approved a second time: however often it was requested, it was meant once.
   */
  async closeSame(wish: Omit<Wish, 'command' | 'payload'>) {
    const { kind, userId, tokenId = 0, change, target = null, requesterId, reason = '' } = wish;
    await this.em.execute(
      `update "approval" set "status" = 'expired', "note" = ? where "id" in (
         select "id" from "approval" where "status" = 'pending' and ("kind", "user_id", "token_id", "requester_id", "reason") = (?, ?, ?, ?, ?)
           and ("change" = ? or ("payload"->>'target')::bigint = ?::bigint) for update skip locked)`,
      [DONE_MEANWHILE, kind, userId, tokenId, requesterId, reason, change, target],
      'run',
    );
  }

  /**
   * A pending request of the same person for the same movement. Setting the same balance again is the same movement,
   * although the change differs by what was spent meanwhile; otherwise both could be approved.
   */
  private async findWaiting({ kind, userId, tokenId = 0, change, target, subject = '', requesterId }: Wish) {
    const moves = target === undefined ? { change } : { $or: [{ change }, { payload: { target } }] };
    const same = { kind, userId, tokenId, subject, requesterId, status: 'pending' as const, ...moves };
    return this.em.findOne(Approval, { ...same, expiresAt: { $gt: new Date(this.clock.now()) } }, { refresh: true });
  }

  private limitOf(kind: ApprovalKind): number {
    return this.options.get(kind === 'refund' ? 'RefundApprovalLimit' : 'AdjustmentApprovalLimit');
  }
}

/** Members by which a command is recognised; two requests that differ in nothing else are the same. */
const COMMAND_MEMBERS: ReadonlySet<string> = new Set(['commandId', 'reference', 'fingerprint', 'target']);

const termsOf = (payload: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(payload).filter(([name]) => !COMMAND_MEMBERS.has(name)));

/** A request with other terms is a different one: only the latest terms may be approved. */
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
