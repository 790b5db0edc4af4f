import type { FilterQuery } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Page } from '@tollgate/contracts';
import { MAX_ID } from '@tollgate/contracts/api/fields';
import type { Approval as ApprovalReply, ApprovalQuery, PendingApprovals } from '@tollgate/contracts/api/approval';
import { AppError, type Caller, Clock } from '@tollgate/chassis';
import { findPage, toPage } from '@tollgate/database';
import { Approval } from '../approval/approval.entity.js';
import { toApprovalReply } from './approval.reply.js';

@Injectable()
export class ApprovalQueries {
  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
  ) {}

  /** Newest first. */
  async list(query: ApprovalQuery): Promise<Page<ApprovalReply>> {
    const { status, kind } = query;
    const where = { ...this.inStatus(status), ...(kind !== '' && { kind }) };
    const [rows, total] = await findPage(this.em, Approval, where, query);
    return toPage(rows, total, query, (row) => toApprovalReply(row, this.clock.now()));
  }

  async get(id: number): Promise<ApprovalReply> {
    return toApprovalReply(await this.find(id), this.clock.now());
  }

  async find(id: number): Promise<Approval> {
    const approval = id > MAX_ID ? null : await this.em.findOne(Approval, { id }, { disableIdentityMap: true });
    if (!approval) throw approvalMissing(id);
    return approval;
  }

  async pending({ userId }: Caller): Promise<PendingApprovals> {
    const open = this.inStatus('pending');
    const others = { ...open, requesterId: { $ne: userId }, userId: { $ne: userId } };
    const [count, forMe] = await Promise.all([this.em.count(Approval, open), this.em.count(Approval, others)]);
    return { count, for_me: forMe };
  }

  private inStatus(status: ApprovalQuery['status']): FilterQuery<Approval> & object {
    const now = new Date(this.clock.now());
    if (status === '') return {};
    if (status === 'pending') return { status, expiresAt: { $gt: now } };
    if (status !== 'expired') return { status };
    return { $or: [{ status }, { status: 'pending', expiresAt: { $lte: now } }] };
  }
}

export const approvalMissing = (id: number): AppError =>
  new AppError('not-found', 'approval-not-found', '审批申请不存在', { params: { id } });
