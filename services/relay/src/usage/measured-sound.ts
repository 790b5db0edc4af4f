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

const measured = new WeakMap<KeptSound, Promise<Usage>>();

/** Our own count of a sound whose upstream tells no length: what its head says where that can be true, else an estimate by its size. */
export function measuredSound(sound: KeptSound): Promise<Usage> {
  // Nobody can have listened to what is not here; what comes later is another question.
  if (!sound.isComplete) return Promise.resolve(soundUsage(sound));
  let usage = measured.get(sound);
  if (!usage) measured.set(sound, (usage = measure(sound)));
  return usage;
}

async function measure(sound: KeptSound): Promise<Usage> {
  const { head, kept } = sound;
  const isPlain = plainBytesPerSecond(head) !== undefined;
  const seconds = kept && !isPlain ? await secondsOf(kept) : undefined;
  return seconds === undefined ? soundUsage(sound) : { ...noUsage, inputTokens: soundTokens(seconds) };
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
