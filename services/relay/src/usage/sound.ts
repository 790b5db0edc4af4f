import type { Usage } from '@tollgate/contracts';
import { soundTokens } from '@tollgate/providers';
import { noUsage } from '../call/outcome.js';

/** The known facts about a sound file. */
export interface Sound {
  /** The first bytes of the file. */
  head: Buffer;
  /** Upper bound for the size of the file in bytes; the exact size once it is complete. */
  mostBytes: number;
  isComplete: boolean;
}

/** Six kilobits a second; at less, speech is not intelligible in any accepted format. */
const LEAST_BYTES_PER_SECOND = 750;
/** 128 kilobits a second, the usual choice of encoders. */
const USUAL_BYTES_PER_SECOND = 16_000;

const PCM = 1;
const FLOAT = 3;
const EXTENSIBLE = 65_534;
/** Offset at which an extensible format description names the format that it extends. */
const SUB_FORMAT_AT = 24;
/** Sample rates per second, channels and bits per sample that microphones and studios use. */
const RATES = { least: 8000, most: 96_000 };
const MOST_CHANNELS = 8;
const BITS = [8, 16, 24, 32];

/** Offset of the format description in a WAV file. */
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
 * Bytes per second of uncompressed sound, whose length follows from its size. `undefined` for any other format, and
 * where the description is unusual or contradicts itself: the client writes it, and a short duration would cost less.
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

/** Bytes of a WAV file in which the beginning of the samples is searched. */
const MOST_HEAD = 512;

/** The most tokens for which a sound can be charged by its length, according to its header. */
export const mostSoundTokens = ({ head, mostBytes }: Sound): number =>
  soundTokens(mostBytes / (plainBytesPerSecond(head) ?? LEAST_BYTES_PER_SECOND));

/** The most tokens that an upstream can plausibly count, regardless of the header. */
export const mostStatedTokens = ({ mostBytes }: Sound): number => soundTokens(mostBytes / LEAST_BYTES_PER_SECOND);

/**
 * Our own estimate of a sound's tokens; 0 until the file is complete, because an incomplete file cannot have been
 * heard.
 */
export function soundUsage({ head, mostBytes, isComplete }: Sound): Usage {
  if (!isComplete) return { ...noUsage, inputTokens: 0 };
  const plain = plainBytesPerSecond(head);
  const seconds = plain === undefined ? mostBytes / USUAL_BYTES_PER_SECOND : samplesOf(head, mostBytes) / plain;
  return { ...noUsage, inputTokens: soundTokens(seconds) };
}

/** The bytes of a WAV file without its header: with the header, a minute would count as 61 seconds. */
function samplesOf(head: Buffer, bytes: number): number {
  const at = head.subarray(0, MOST_HEAD).indexOf('data', 12);
  return Math.max(0, bytes - (at === -1 ? 0 : at + 8));
}
