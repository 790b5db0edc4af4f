import { defineEntity, p } from '@mikro-orm/core';

const journalLink = defineEntity({
  name: 'JournalLink',
  tableName: 'journal_link',
  properties: {
    /** The month of the posting's id. */
    chain: p.text().primary(),
    position: p.bigint('number').primary(),
    postingId: p.uuid().unique(),
    /** Hash over the posting, its position and the previous hash. */
    hash: p.blob(),
    /** Version of the hashed text. */
    version: p.smallint(),
  },
});

/** The position of a posting in the chain of its month. */
export class JournalLink extends journalLink.class {}
journalLink.setClass(JournalLink);

const journalSeal = defineEntity({
  name: 'JournalSeal',
  tableName: 'journal_seal',
  properties: {
    chain: p.text().primary(),
    number: p.bigint('number').primary(),
    position: p.bigint('number'),
    /** The signed text. */
    text: p.text(),
    /** Ed25519, hex. */
    signature: p.text(),
    sealedAt: p.datetime(),
  },
});

/** A signed head of a chain, at the time of sealing. */
export class JournalSeal extends journalSeal.class {}
journalSeal.setClass(JournalSeal);

const sealKey = defineEntity({
  name: 'SealKey',
  tableName: 'seal_key',
  properties: {
    /** The first 16 hex digits of the public key's SHA-256. */
    id: p.text().primary(),
    /** The 32 bytes of an Ed25519 key, hex. */
    publicKey: p.text(),
    privateSealed: p.text(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

/** The signing key of the installation; its private part is encrypted. */
export class SealKey extends sealKey.class {}
sealKey.setClass(SealKey);

const sealProgress = defineEntity({
  name: 'SealProgress',
  tableName: 'seal_progress',
  properties: {
    id: p.integer().primary().autoincrement(false),
    /** Every posting of an earlier transaction is chained. */
    tx: p.bigint('number'),
    /**
     * For postings without a transaction id, from before chains existed: they are chained up to this id; null when all
     * are.
     */
    oldId: p.uuid().nullable(),
  },
});

/** How far the chains have been written. Writers of the chains lock this row. */
export class SealProgress extends sealProgress.class {}
sealProgress.setClass(SealProgress);
