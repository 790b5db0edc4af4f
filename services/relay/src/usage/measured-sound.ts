import type { Usage } from '@tollgate/contracts';
import { soundTokens } from '@tollgate/providers';
import { parseBuffer } from 'music-metadata';
import { noUsage } from '../call/outcome.js';
import { plainBytesPerSecond, type Sound, soundUsage } from './sound.js';

/** Bytes for a second that packed sound has: from speech at its thinnest to what studios keep. A client wrote the head, and a short sound costs less. */
const LIKELY = { least: 500, most: 500_000 };

/** A file of sound, all of it where it was kept. */
export interface KeptSound extends Sound {
  readonly kept?: Buffer | undefined;
}

/** How much longer than what the head of a packed file says it may be for its upstream, until the head counts as a lie. */
const MOST_LONGER = 2;

const read = new WeakMap<KeptSound, Promise<Usage | undefined>>();

/** Our own count of a sound whose upstream tells no length: what its head says where that can be true, else an estimate by its size. */
export async function measuredSound(sound: KeptSound): Promise<Usage> {
  return (await lengthIn(sound)) ?? soundUsage(sound);
}

/**
 * The length that a file itself tells, in place of what its upstream states; undefined where it tells none, or far less than the upstream listened to:
 * samples cannot lie about it, but the head of packed sound is its sender's word, and who writes a short one would listen for next to nothing.
 */
export async function lengthInFile(sound: KeptSound, stated: Usage): Promise<Usage | undefined> {
  const told = await lengthIn(sound);
  if (!told || plainBytesPerSecond(sound.head) !== undefined) return told;
  return stated.inputTokens <= MOST_LONGER * told.inputTokens ? told : undefined;
}

function lengthIn(sound: KeptSound): Promise<Usage | undefined> {
  // Nobody can have listened to what is not here; what comes later is another question.
  if (!sound.isComplete) return Promise.resolve(undefined);
  let length = read.get(sound);
  if (!length) read.set(sound, (length = readLength(sound)));
  return length;
}

async function readLength(sound: KeptSound): Promise<Usage | undefined> {
  if (plainBytesPerSecond(sound.head) !== undefined) return soundUsage(sound);
  const seconds = sound.kept && (await secondsOf(sound.kept));
  return seconds === undefined ? undefined : { ...noUsage, inputTokens: soundTokens(seconds) };
}

async function secondsOf(file: Buffer): Promise<number | undefined> {
  try {
    const { format } = await parseBuffer(file, undefined, { skipCovers: true });
    const { duration = 0 } = format;
    const bytesPerSecond = file.length / duration;
    return bytesPerSecond >= LIKELY.least && bytesPerSecond <= LIKELY.most ? duration : undefined;
  } catch {
    return undefined;
  }
}
