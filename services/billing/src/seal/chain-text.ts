import { createHash } from 'node:crypto';
import { isoTime, timeOfId } from '@tollgate/chassis';

/** A row of the journal at its position in the chain of its month. The members are in the order of the hashed text. */
export interface ChainedRow {
  /** The month of the row's id, for example `2026-11`. */
  chain: string;
  /** The first row of the chain has position 1. */
  position: number;
  id: string;
  code: string;
  debit: string;
  credit: string;
  /** Units. */
  amount: number;
  userId: number;
  tokenId: number;
  reference: string;
  priceVersion: string | null;
  replicaEpoch: string | null;
  actorId: number | null;
  reason: string | null;
  /** UTC with microseconds. */
  bookedAt: string;
  /**
   * Since version 2 of the text: the columns that statements use, and the position of a consumption's event in the log.
   */
  model?: string;
  group?: string;
  channelId?: number;
  eventPartition?: number | null;
  eventOffset?: number | null;
}

/** Version of the texts that are hashed from now on. Older hashes keep their version, which each link states. */
export const TEXT_VERSION = 2;

/** The head of a chain at the time of sealing, and the seal before it. */
export interface SealFacts {
  chain: string;
  /** The first seal of a chain has number 1. */
  number: number;
  /** Position of the last row that the seal covers. */
  position: number;
  /** Hash of that row, hex. */
  hash: string;
  /** ISO 8601. */
  sealedAt: string;
  keyId: string;
  /** SHA-256 over text and signature of the previous seal, hex; empty for the first. */
  previous: string;
}

/** The hash that precedes the first row of a chain. */
export const FIRST = '0'.repeat(64);

/**
 * The text that is hashed and exported. A line of an export is the hashed text itself, so verifying it needs no further
 * rules.
 */
export const rowText = (row: ChainedRow): string => {
  const { chain, position, id, code, debit, credit, amount, userId, tokenId, reference } = row;
  const { priceVersion, replicaEpoch, actorId, reason, bookedAt } = row;
  const { model, group, channelId, eventPartition, eventOffset } = row;
  const movement = { id, code, debit, credit, amount, userId, tokenId, reference };
  const origin = { priceVersion, replicaEpoch, actorId, reason, bookedAt };
  // Members that an older version lacks are `undefined`, and so left out of the text.
  return JSON.stringify({
    ...{ chain, position, ...movement, ...origin },
    ...{ model, group, channelId, eventPartition, eventOffset },
  });
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The hash of a link, which includes all links before it. */
export const linkHash = (previous: string, text: string): string => sha256(`${previous}\n${text}`);

/** The text that is signed, and published in the list of seals. */
export const sealText = ({ chain, number, position, hash, sealedAt, keyId, previous }: SealFacts): string =>
  JSON.stringify({ chain, number, position, hash, sealedAt, keyId, previous });

/** The hash by which the next seal refers to this one. */
export const sealHash = (text: string, signature: string): string => sha256(`${text}\n${signature}`);

/** The month of a time-ordered id. */
export function chainOf(id: string): string {
  return isoTime(Math.min(timeOfId(id), 253_402_300_799_999)).slice(0, 7);
}
