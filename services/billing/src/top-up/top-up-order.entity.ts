import { defineEntity, p } from '@mikro-orm/core';
import type { PaymentProvider, TopUpStatus, TopUpVerdict } from '@tollgate/contracts/api/top-up';

const topUpOrder = defineEntity({
  name: 'TopUpOrder',
  tableName: 'top_up_order',
  properties: {
    id: p.integer().primary().autoincrement(),
    userId: p.integer(),
    /** Ours, known to the provider. Unique, and the natural key of the posting. */
    tradeNo: p.text().unique(),
    provider: p.text().$type<PaymentProvider>(),
    method: p.text(),
    /** The account with the provider that is to be paid. */
    merchant: p.text(),
    status: p.text().$type<TopUpStatus>().default('pending'),
    /** As it was asked for: USD, or units where the currency was not shown. */
    amount: p.bigint('number'),
    /** What it gives, whatever prices say later. */
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

/** Something that somebody wants to pay for. Rows are never deleted. */
export class TopUpOrder extends topUpOrder.class {}
topUpOrder.setClass(TopUpOrder);

/** What nobody may change about an order once it was begun. */
export type OrderTerms = Pick<
  TopUpOrder,
  'userId' | 'provider' | 'method' | 'merchant' | 'amount' | 'quota' | 'money' | 'currency'
>;

const topUpStep = defineEntity({
  name: 'TopUpStep',
  tableName: 'top_up_step',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    /** Null: a callback that names no order of ours. */
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
    /** Of the first step: what the order was to cost and to give. */
    terms: p.json<OrderTerms>().nullable(),
  },
});

/** A step of an order, with what led to it. A trigger refuses to change or remove one. */
export class TopUpStep extends topUpStep.class {}
topUpStep.setClass(TopUpStep);
