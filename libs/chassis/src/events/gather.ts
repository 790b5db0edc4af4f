import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds from the start of a batch during which arriving records are gathered into the next one. */
const GATHER_MS = 500;
/** A batch with fewer records is not part of a steady flow; the next one follows without delay, so that single records arrive at once. */
const FLOW = 4;

/**
 * Delays the next batch after one of `size` records that began at `startedAt` (of `performance.now`), so that it can grow: the cost of a
 * batch hardly depends on its size, so many small batches cost several times as much. After a full batch the next one follows at once.
 */
export async function gather(
  { startedAt, size, full }: { startedAt: number; size: number; full: number },
  signal: AbortSignal,
): Promise<void> {
  const waitMs = startedAt + GATHER_MS - performance.now();
  if (size < FLOW || size >= full || waitMs <= 0) return;
  await pause(waitMs, undefined, { signal }).catch(() => undefined);
}
