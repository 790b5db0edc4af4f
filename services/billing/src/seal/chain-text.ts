import { createHash } from 'node:crypto';
import { timeOfId } from '@tollgate/chassis';

/** A row of the journal at its place in the chain of its month. The order of members is the order in the text. */
export interface ChainedRow {
  /** The month of the row's id, `2026-11`. */
  chain: string;
  /** 1 is the first row of the chain. */
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
  /** From the second version of the text on: what statements are made of, and where the event of a consumption lies. */
  model?: string;
  group?: string;
  channelId?: number;
  eventPartition?: number | null;
  eventOffset?: number | null;
}

/** Of the texts that are hashed from now on. What was hashed as an earlier one stays what it is; each link names its own. */
export const TEXT_VERSION = 2;

/** What a head of a chain was at some minute, and what was sealed before. */
export interface SealFacts {
  chain: string;
  /** 1 is the first seal of the chain. */
  number: number;
  /** Of the last row that it covers. */
  position: number;
  /** Of that row, hex. */
  hash: string;
  /** ISO 8601. */
  sealedAt: string;
  keyId: string;
  /** SHA-256 of the text and the signature of the seal before, hex; empty for the first. */
  previous: string;
}

/** What a chain begins with, in the place of the hash of a row before. */
export const FIRST = '0'.repeat(64);

/** The bytes that are hashed and exported. Whoever reads an export needs no rules of ours: the line itself is the text. */
export const rowText = (row: ChainedRow): string => {
  const { chain, position, id, code, debit, credit, amount, userId, tokenId, reference } = row;
  const { priceVersion, replicaEpoch, actorId, reason, bookedAt } = row;
  const { model, group, channelId, eventPartition, eventOffset } = row;
  const movement = { id, code, debit, credit, amount, userId, tokenId, reference };
  const origin = { priceVersion, replicaEpoch, actorId, reason, bookedAt };
  // Members that a version does not have are undefined, and not in the text.
  return JSON.stringify({
    ...{ chain, position, ...movement, ...origin },
    ...{ model, group, channelId, eventPartition, eventOffset },
  });
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The link of the chain: everything before it goes into it. */
export const linkHash = (previous: string, text: string): string => sha256(`${previous}\n${text}`);

/** What is signed, and what stands in the list of seals. */
export const sealText = ({ chain, number, position, hash, sealedAt, keyId, previous }: SealFacts): string =>
  JSON.stringify({ chain, number, position, hash, sealedAt, keyId, previous });

/** What the next seal says of this one. */
export const sealHash = (text: string, signature: string): string => sha256(`${text}\n${signature}`);

/** The month of a time-ordered id. */
export function chainOf(id: string): string {
  return new Date(Math.min(timeOfId(id), 253_402_300_799_999)).toISOString().slice(0, 7);
}
