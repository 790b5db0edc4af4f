import { setTimeout as pause } from 'node:timers/promises';

/** Records that come within so long of a batch's begin share the next one. */
const GATHER_MS = 500;
/** Fewer records than this are no flow: whoever waits for one of them gets it at once. */
const FLOW = 4;

/**
 * Lets the next batch grow after one of `size` records that began at `startedAt` (of `performance.now`): what a batch costs hardly
 * depends on its size, so taking each handful by itself costs several times as much. A full batch is followed at once.
 */
export async function gather(
  { startedAt, size, full }: { startedAt: number; size: number; full: number },
  signal: AbortSignal,
): Promise<void> {
  const waitMs = startedAt + GATHER_MS - performance.now();
  if (size < FLOW || size >= full || waitMs <= 0) return;
  await pause(waitMs, undefined, { signal }).catch(() => undefined);
}
