import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/**
 * A body larger than the floor (in bytes) may unpack to at most this many times its size. JSON that people write stays
 * below 20, streams of upstreams, which are repetitive, below 30.
 */
const MAX_RATIO = 100;
const RATIO_FLOOR = 1024 * 1024;

const decoders: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** Whether bodies in this content coding can be unpacked. */
export const isKnownCoding = (coding: string): boolean => decoders.has(coding);

/** The stream that unpacks a body in this content coding; `undefined` for any other. */
export const decoderOf = (coding: string): Transform | undefined => decoders.get(coding)?.();

/** Whether a body is a decompression bomb: it unpacks to too many times its size. */
export const isBomb = (unpacked: number, packed: number): boolean =>
  unpacked > RATIO_FLOOR && unpacked > packed * MAX_RATIO;
