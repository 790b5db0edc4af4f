import { defineEntity, p } from '@mikro-orm/core';
import type { PaymentProvider, TopUpStatus, TopUpVerdict } from '@tollgate/contracts/api/top-up';

const topUpOrder = defineEntity({
  name: 'TopUpOrder',
  tableName: 'top_up_order',
  properties: {
    id: p.integer().primary().autoincrement(),
    userId: p.integer(),
    /** Our order number, which the provider knows. It is unique, and the natural key of the posting. */
    tradeNo: p.text().unique(),
    provider: p.text().$type<PaymentProvider>(),
    method: p.text(),
    /** The account at the provider that is to receive the money. */
    merchant: p.text(),
    status: p.text().$type<TopUpStatus>().default('pending'),
    /** The requested amount: in USD, or in units where amounts were not shown in currency. */
    amount: p.bigint('number'),
    /** The quota that the order gives, fixed when it was created. */
    quota: p.bigint('number'),
    /** Exact decimal. */
    money: p.text(),
    currency: p.text(),
    createdAt: p.datetime(),
    expiresAt: p.datetime(),
    paidAt: p.datetime().nullable(),
    refundedAt: p.datetime().nullable(),
  },
});

/** An order for quota. Rows are never deleted. */
export class TopUpOrder extends topUpOrder.class {}
topUpOrder.setClass(TopUpOrder);

/** The terms of an order, which must not change after it was created. */
export type OrderTerms = Pick<
  TopUpOrder,
  'userId' | 'provider' | 'method' | 'merchant' | 'amount' | 'quota' | 'money' | 'currency'
>;

const topUpStep = defineEntity({
  name: 'TopUpStep',
  tableName: 'top_up_step',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    /** Null for a callback that names no order of ours. */
    orderId: p.integer().nullable(),
    tradeNo: p.text(),
    happenedAt: p.datetime(),
    kind: p.text().$type<'created' | 'checkout-failed' | 'callback' | 'expired' | 'refunded'>(),
    verdict: p.text().$type<TopUpVerdict | ''>().default(''),
    fromStatus: p.text().default(''),
    toStatus: p.text().default(''),
    /** 0: the system or the provider. */
    actorId: p.integer().default(0),
    /** What the provider sent. */
    raw: p.text().nullable(),
    reason: p.text().default(''),
    /** Stored with the first step: the price of the order and what it gives. */
    terms: p.json<OrderTerms>().nullable(),
  },
});

/** A step of an order, with its cause. A trigger prevents changing or deleting a step. */
export class TopUpStep extends topUpStep.class {}
topUpStep.setClass(TopUpStep);
