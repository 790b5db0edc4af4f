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
/** Where an extensible description says which of the formats it extends. */
const SUB_FORMAT_AT = 24;
/** Samples a second, channels, and bits of a sample, as microphones and studios write them. */
const RATES = { least: 8000, most: 96_000 };
const MOST_CHANNELS = 8;
const BITS = [8, 16, 24, 32];

/** Where the description of the samples stands in a WAV file. */
function formatAt(head: Buffer): number | undefined {
  if (head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WAVE') return undefined;
  for (let at = 12; at + 24 <= head.length; at += 8 + head.readUInt32LE(at + 4) + (head.readUInt32LE(at + 4) & 1))
    if (head.toString('latin1', at, at + 4) === 'fmt ') return at + 8;
  return undefined;
}

function isUnpacked(head: Buffer, at: number): boolean {
  const format = head.readUInt16LE(at);
  const isExtended = format === EXTENSIBLE && at + SUB_FORMAT_AT + 2 <= head.length;
  return [PCM, FLOAT].includes(isExtended ? head.readUInt16LE(at + SUB_FORMAT_AT) : format);
}

/**
 * Of sound that is not packed: it is as long as its bytes say. Undefined for any other, and where the description is one that no recorder
 * writes, or contradicts itself: a client wrote it, and a short sound costs less.
 */
export function plainBytesPerSecond(head: Buffer): number | undefined {
  const at = formatAt(head);
  if (at === undefined || !isUnpacked(head, at)) return undefined;
  const channels = head.readUInt16LE(at + 2);
  const rate = head.readUInt32LE(at + 4);
  const bits = head.readUInt16LE(at + 14);
  const frame = (channels * bits) / 8;
  const isLikely =
    rate >= RATES.least && rate <= RATES.most && channels >= 1 && channels <= MOST_CHANNELS && BITS.includes(bits);
  return isLikely && head.readUInt16LE(at + 12) === frame ? rate * frame : undefined;
}

/** Where the samples of a WAV file begin at the latest, as far as we look. */
const MOST_HEAD = 512;

/** The most tokens that a sound can be charged as, where it is charged by its length, by what its head says. */
export const mostSoundTokens = ({ head, mostBytes }: Sound): number =>
  soundTokens(mostBytes / (plainBytesPerSecond(head) ?? LEAST_BYTES_PER_SECOND));

/** The most that an upstream can truly count, whatever the client wrote into the head. */
export const mostStatedTokens = ({ mostBytes }: Sound): number => soundTokens(mostBytes / LEAST_BYTES_PER_SECOND);

/** Our own estimate of what a sound counts for, which is nothing before all of it is here: nobody can have listened to it. */
export function soundUsage({ head, mostBytes, isComplete }: Sound): Usage {
  if (!isComplete) return { ...noUsage, inputTokens: 0 };
  const plain = plainBytesPerSecond(head);
  const seconds = plain === undefined ? mostBytes / USUAL_BYTES_PER_SECOND : samplesOf(head, mostBytes) / plain;
  return { ...noUsage, inputTokens: soundTokens(seconds) };
}

/** The bytes of a WAV file behind its head: with them a minute would count as 61 seconds. */
function samplesOf(head: Buffer, bytes: number): number {
  const at = head.subarray(0, MOST_HEAD).indexOf('data', 12);
  return Math.max(0, bytes - (at === -1 ? 0 : at + 8));
}
