import type { FilterQuery } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Page } from '@tollgate/contracts';
import type { TopUpDetail, TopUpListQuery, TopUpOrder as OrderReply } from '@tollgate/contracts/api/top-up';
import { likePattern, pageWindow, toPage, totalOf } from '@tollgate/database';
import { orderMissing } from './settlement.service.js';
import { TopUpOrder, TopUpStep } from './top-up-order.entity.js';
import { toOrderReply, toStepReply } from './top-up.reply.js';

const MAX_ID = 2 ** 31 - 1;

/** Orders as their owner and as administrators read them. */
@Injectable()
export class TopUpQueries {
  constructor(private readonly em: EntityManager) {}

  /** Newest first. */
  async list(query: TopUpListQuery): Promise<Page<OrderReply>> {
    const where = whereOf(query);
    const rows = await this.em.find(TopUpOrder, where, {
      ...pageWindow(query),
      orderBy: { id: 'desc' },
      disableIdentityMap: true,
    });
    const total = await totalOf(rows.length, query, () => this.em.count(TopUpOrder, where));
    return toPage(rows, total, query, toOrderReply);
  }

  /** With its timeline, oldest first. An owner sees neither who acted nor what the provider sent. */
  async get(id: number, ownerId?: number): Promise<TopUpDetail> {
    const order = id > MAX_ID ? null : await this.em.findOne(TopUpOrder, { id }, { disableIdentityMap: true });
    if (!order || (ownerId !== undefined && order.userId !== ownerId)) throw orderMissing(id);
    const steps = await this.em.find(TopUpStep, { orderId: id }, { orderBy: { id: 'asc' }, disableIdentityMap: true });
    return { ...toOrderReply(order), steps: steps.map((step) => toStepReply(step, ownerId === undefined)) };
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
    ...(userId !== 0 && { userId: Math.min(userId, MAX_ID) }),
    ...(Object.keys(created).length > 0 && { createdAt: created }),
  };
}
