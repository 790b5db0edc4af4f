import type { Usage } from '@tollgate/contracts';
import { soundTokens } from '@tollgate/providers';
import { parseBuffer } from 'music-metadata';
import { noUsage } from '../call/outcome.js';
import { plainBytesPerSecond, type Sound, soundUsage } from './sound.js';

/**
 * Plausible bytes per second of compressed sound, from the thinnest speech to studio quality. The client writes the
 * header, and a short duration would cost less.
 */
const LIKELY = { least: 500, most: 500_000 };

/** A sound file, with its whole content where it was kept. */
interface KeptSound extends Sound {
  readonly kept?: Buffer | undefined;
}

/**
 * How many times longer than the header of a compressed file says the upstream may find it, before the header counts as
 * false.
 */
const MOST_LONGER = 2;

const read = new WeakMap<KeptSound, Promise<Usage | undefined>>();

/**
 * Our own count of a sound whose upstream states no length: by its header where that is plausible, otherwise estimated
 * from its size.
 */
export async function measuredSound(sound: KeptSound): Promise<Usage> {
  return (await lengthIn(sound)) ?? soundUsage(sound);
}

/**
 * The length that the file itself states, to replace the upstream's statement. `undefined` where it states none, or far
 * less than the upstream heard. Uncompressed sound cannot be wrong about its length, but the sender can write any
 * header of compressed sound, and a short one would make it almost free.
 */
export async function lengthInFile(sound: KeptSound, stated: Usage): Promise<Usage | undefined> {
  const fromFile = await lengthIn(sound);
  if (!fromFile || plainBytesPerSecond(sound.head) !== undefined) return fromFile;
  return stated.inputTokens <= MOST_LONGER * fromFile.inputTokens ? fromFile : undefined;
}

function lengthIn(sound: KeptSound): Promise<Usage | undefined> {
  // An incomplete file cannot have been heard by the upstream. The result is not cached, since the rest may still
  // arrive.
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
