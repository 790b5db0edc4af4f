import type { FilterQuery } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Page } from '@tollgate/contracts';
import { MAX_ID } from '@tollgate/contracts/api/fields';
import type { TopUpDetail, TopUpListQuery, TopUpOrder as OrderReply } from '@tollgate/contracts/api/top-up';
import type { Caller } from '@tollgate/chassis';
import { findPage, likePattern, toPage } from '@tollgate/database';
import { RankGuard } from '../account/rank-guard.js';
import { orderMissing } from './order-state.service.js';
import { TopUpOrder, TopUpStep } from './top-up-order.entity.js';
import { type StepReader, toOrderReply, toStepReply } from './top-up.reply.js';

/** Orders for their owners and for administrators. */
@Injectable()
export class TopUpQueries {
  constructor(
    private readonly em: EntityManager,
    private readonly ranks: RankGuard,
  ) {}

  /** Newest first. */
  async list(query: TopUpListQuery): Promise<Page<OrderReply>> {
    const [rows, total] = await findPage(this.em, TopUpOrder, whereOf(query), query);
    return toPage(rows, total, query, toOrderReply);
  }

  /** An order with its steps, oldest first. Its owner sees neither who acted nor what the provider sent. */
  async getOwn(id: number, ownerId: number): Promise<TopUpDetail> {
    const order = await this.find(id);
    if (order.userId !== ownerId) throw orderMissing(id);
    return this.withSteps(order, 'owner');
  }

  /**
   * An order for administrators. What the provider sent is shown only to those above its owner, who may also refund it.
   */
  async get(id: number, caller: Caller): Promise<TopUpDetail> {
    const order = await this.find(id);
    return this.withSteps(order, (await this.ranks.isAbove(caller, order.userId)) ? 'above' : 'administrator');
  }

  private async find(id: number): Promise<TopUpOrder> {
    const order = id > MAX_ID ? null : await this.em.findOne(TopUpOrder, { id }, { disableIdentityMap: true });
    if (!order) throw orderMissing(id);
    return order;
  }

  private async withSteps(order: TopUpOrder, reader: StepReader): Promise<TopUpDetail> {
    const where = { orderId: order.id };
    const steps = await this.em.find(TopUpStep, where, { orderBy: { id: 'asc' }, disableIdentityMap: true });
    return { ...toOrderReply(order), steps: steps.map((step) => toStepReply(step, reader)) };
  }
}

function whereOf(query: TopUpListQuery): FilterQuery<TopUpOrder> {
  const { keyword, status, provider, user_id: userId, start_timestamp: from, end_timestamp: to } = query;
  const created = {
    ...(from > 0 && { $gte: new Date(from * 1000) }),
    ...(to > 0 && { $lt: new Date((to + 1) * 1000) }),
  };
  return {
    ...(keyword.trim() !== '' && { tradeNo: { $like: likePattern(keyword.trim()) } }),
    ...(status !== '' && { status }),
    ...(provider !== '' && { provider }),
    ...(userId !== 0 && { userId }),
    ...(Object.keys(created).length > 0 && { createdAt: created }),
  };
}
