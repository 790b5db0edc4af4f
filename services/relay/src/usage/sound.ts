import type { Usage } from '@tollgate/contracts';
import { soundTokens } from '@tollgate/providers';
import { noUsage } from '../call/outcome.js';

/** A file of sound, as far as it is known. */
export interface Sound {
  /** The first bytes. */
  head: Buffer;
  /** The most that it can have; what it has, once all of it is here. */
  mostBytes: number;
  isComplete: boolean;
}

/** Six kilobits a second, below which no format that is taken makes speech understood. */
const LEAST_BYTES_PER_SECOND = 750;
/** 128 kilobits a second, which most encoders choose. */
const USUAL_BYTES_PER_SECOND = 16_000;

const PCM = 1;
const FLOAT = 3;
const EXTENSIBLE = 65_534;

/** Where the description of the samples stands in a WAV file. */
function formatAt(head: Buffer): number | undefined {
  if (head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WAVE') return undefined;
  for (let at = 12; at + 24 <= head.length; at += 8 + head.readUInt32LE(at + 4) + (head.readUInt32LE(at + 4) & 1))
    if (head.toString('latin1', at, at + 4) === 'fmt ') return at + 8;
  return undefined;
}

/** Of sound that is not packed: it is as long as its bytes say. Undefined for any other. */
function plainBytesPerSecond(head: Buffer): number | undefined {
  const at = formatAt(head);
  if (at === undefined || ![PCM, FLOAT, EXTENSIBLE].includes(head.readUInt16LE(at))) return undefined;
  const rate = head.readUInt32LE(at + 4) * head.readUInt16LE(at + 12);
  return rate > 0 ? rate : undefined;
}

/** The most tokens that a sound can be charged as, where it is charged by its length. */
export const mostSoundTokens = ({ head, mostBytes }: Sound): number =>
  soundTokens(mostBytes / (plainBytesPerSecond(head) ?? LEAST_BYTES_PER_SECOND));

/** Our own estimate of what a sound counts for, which is nothing before all of it is here: nobody can have listened to it. */
export function soundUsage({ head, mostBytes, isComplete }: Sound): Usage {
  const seconds = isComplete ? mostBytes / (plainBytesPerSecond(head) ?? USUAL_BYTES_PER_SECOND) : 0;
  return { ...noUsage, inputTokens: soundTokens(seconds) };
}
