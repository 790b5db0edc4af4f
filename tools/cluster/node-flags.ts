/**
 * Flags of Node for running a service. `tools/run.mjs` and `deploy/entrypoint.sh` repeat what they need of them; a test
 * compares the three.
 */
export const NODE_FLAGS = [
  // kafkajs sets timers with a negative delay when it is idle. That is harmless, but recent versions of Node warn about
  // it.
  '--disable-warning=TimeoutNegativeWarning',
  // Megabytes. By default V8 would let the young generation grow to four times that, and a relay with many open streams
  // fills the space and never gives it back.
  '--max-semi-space-size=16',
];

/** Further flags of a program with the relay. */
export const RELAY_FLAGS = [
  // V8's memory reducer would drop compiled code and shrink the heap after eight seconds of rest, so that the next
  // requests would cost a third more. Programs without the relay give memory back instead.
  '--no-memory-reducer',
  // V8 would allocate objects of some places as old ones. They keep alive all young objects that they point to, so that
  // a sixth of what requests allocate would become old, and a full collection would be necessary each second.
  '--no-allocation-site-pretenuring',
];

const hasRelay = (program: string): boolean => program === 'relay' || program === 'all-in-one';

/** @param program name of a bundle: a service, or `all-in-one` */
export const nodeFlagsOf = (program: string): string[] =>
  hasRelay(program) ? [...NODE_FLAGS, ...RELAY_FLAGS] : NODE_FLAGS;

/**
 * Settings of glibc's allocator for a program without the relay, in bytes. They are its own first values; but unless
 * they are stated, glibc raises them with the blocks that a start frees, and keeps what the start had used. A program
 * with the relay would spend more time on its larger buffers.
 */
export const ALLOCATOR = { MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' };

/** @param program name of a bundle: a service, or `all-in-one` */
export const allocatorOf = (program: string): Record<string, string> => (hasRelay(program) ? {} : ALLOCATOR);
