import { createHmac, type KeyObject } from 'node:crypto';

/** Ids are below 2^48, which is 15 digits: programs that keep 15 digits of a number, such as spreadsheets, keep all. */
const HALF_BYTES = 3;
const HALF = 2 ** (8 * HALF_BYTES);
/** Four rounds of a keyed function are a permutation that looks random (Luby and Rackoff, 1988). */
const ROUNDS = [0, 1, 2, 3];

/**
 * The id of a log row as its owner sees it: a permutation of all ids that depends on the key (a Feistel network). Rows
 * keep different ids, and each keeps its own, but the ids do not reveal the number or order of other users' rows.
 */
export function ownId(id: number, key: KeyObject): number {
  let left = Math.floor(id / HALF);
  let right = id % HALF;
  for (const round of ROUNDS) [left, right] = [right, left ^ noise(round, right, key)];
  return left * HALF + right;
}

const noise = (round: number, half: number, key: KeyObject): number =>
  createHmac('sha256', key).update(`${round}:${half}`).digest().readUIntBE(0, HALF_BYTES);
