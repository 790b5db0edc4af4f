import { defineEntity, p } from '@mikro-orm/core';

const posting = defineEntity({
  name: 'Posting',
  tableName: 'posting',
  properties: {
    /** The event id of a consumption, otherwise a time-ordered id of its own. The table is partitioned by it. */
    id: p.uuid().primary(),
    code: p.text(),
    /** `wallet:5`, `affiliate:5`, `token:7`, or one of the house accounts. */
    debit: p.text(),
    credit: p.text(),
    amount: p.bigint('number'),
    userId: p.integer(),
    /** 0 = none. An attribute of the movement, not one of its two accounts. */
    tokenId: p.integer().default(0),
    reference: p.text(),
    priceVersion: p.text().nullable(),
    replicaEpoch: p.text().nullable(),
    actorId: p.integer().nullable(),
    reason: p.text().nullable(),
    /**
     * Set for consumption, otherwise empty and 0. With these columns, statements by model, group and channel are sums
     * of the journal itself.
     */
    model: p.text().default(''),
    group: p.text().default(''),
    channelId: p.integer().default(0),
    /** The model name that was sent to the provider, and by which it bills; empty = unknown. */
    upstreamModel: p.text().default(''),
    /** Position of the posting's event in the event log. */
    eventPartition: p.integer().nullable(),
    eventOffset: p.bigint('number').nullable(),
    /**
     * What the operator owes the provider for the request, in units, and the cost version it was computed with; null =
     * unknown.
     */
    cost: p.bigint('number').nullable(),
    costVersion: p.integer().nullable(),
    bookedAt: p.datetime().defaultRaw('now()'),
    /** Id of the transaction that wrote the row, from PostgreSQL; null in rows from before chains existed. */
    tx: p.bigint('number').nullable(),
  },
});

/** A row of the append-only double-entry journal: `amount` units moved from the debit to the credit account. */
export class Posting extends posting.class {}
posting.setClass(Posting);

const postingKey = defineEntity({
  name: 'PostingKey',
  tableName: 'posting_key',
  properties: {
    code: p.text().primary(),
    reference: p.text().primary(),
    postingId: p.uuid().nullable(),
    result: p.json<Record<string, number>>().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

/** The natural key of a movement other than consumption; a stored key means that the movement was carried out. */
export class PostingKey extends postingKey.class {}
postingKey.setClass(PostingKey);
