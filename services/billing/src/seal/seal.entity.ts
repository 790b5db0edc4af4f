import { defineEntity, p } from '@mikro-orm/core';

const journalLink = defineEntity({
  name: 'JournalLink',
  tableName: 'journal_link',
  properties: {
    /** The month of the posting's id. */
    chain: p.text().primary(),
    position: p.bigint('number').primary(),
    postingId: p.uuid().unique(),
    /** Of the posting, its place and the hash before. */
    hash: p.blob(),
    /** Of the text that was hashed. */
    version: p.smallint(),
  },
});

/** The place of a posting in the chain of its month. */
export class JournalLink extends journalLink.class {}
journalLink.setClass(JournalLink);

const journalSeal = defineEntity({
  name: 'JournalSeal',
  tableName: 'journal_seal',
  properties: {
    chain: p.text().primary(),
    number: p.bigint('number').primary(),
    position: p.bigint('number'),
    /** What is signed. */
    text: p.text(),
    /** Ed25519, hex. */
    signature: p.text(),
    sealedAt: p.datetime(),
  },
});

/** The head of a chain at some minute, signed. */
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

/** The key of the installation; its private part is encrypted. */
export class SealKey extends sealKey.class {}
sealKey.setClass(SealKey);

const sealProgress = defineEntity({
  name: 'SealProgress',
  tableName: 'seal_progress',
  properties: {
    id: p.integer().primary().autoincrement(false),
    /** Every posting of an earlier transaction is chained. */
    tx: p.bigint('number'),
    /** Of the postings from before there were transactions in them: chained up to here; null when all are. */
    oldId: p.uuid().nullable(),
  },
});

/** How far the chains are. Its row is the lock of whoever writes them. */
export class SealProgress extends sealProgress.class {}
sealProgress.setClass(SealProgress);
