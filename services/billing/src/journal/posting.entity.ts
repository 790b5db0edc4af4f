import { defineEntity, p } from '@mikro-orm/core';

const posting = defineEntity({
  name: 'Posting',
  tableName: 'posting',
  properties: {
    /** The event id of a consumption, else a time-ordered id of its own: the table is partitioned by it. */
    id: p.uuid().primary(),
    code: p.text(),
    /** `wallet:5`, `affiliate:5`, `token:7`, or one of the house's own accounts. */
    debit: p.text(),
    credit: p.text(),
    amount: p.bigint('number'),
    userId: p.integer(),
    /** 0 = none. An attribute of the movement, not a leg of it. */
    tokenId: p.integer().default(0),
    reference: p.text(),
    priceVersion: p.text().nullable(),
    replicaEpoch: p.text().nullable(),
    actorId: p.integer().nullable(),
    reason: p.text().nullable(),
    /** Of a consumption, else empty and 0: with them statements by model, group and channel are sums of the journal itself. */
    model: p.text().default(''),
    group: p.text().default(''),
    channelId: p.integer().default(0),
    /** The name that its provider was sent and bills it by; empty = not known. */
    upstreamModel: p.text().default(''),
    /** Where its event lies in the log. */
    eventPartition: p.integer().nullable(),
    eventOffset: p.bigint('number').nullable(),
    /** What the provider is due for it in units, and the version of the cost prices that says so; null = not known. */
    cost: p.bigint('number').nullable(),
    costVersion: p.integer().nullable(),
    bookedAt: p.datetime().defaultRaw('now()'),
    /** Of the transaction that wrote it, by the server's count; null in rows from before there were chains. */
    tx: p.bigint('number').nullable(),
  },
});

/** A row of the append-only double-entry book: `amount` units moved from the debit to the credit account. */
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

/** The natural key of a movement other than consumption: what is here has been done. */
export class PostingKey extends postingKey.class {}
postingKey.setClass(PostingKey);
