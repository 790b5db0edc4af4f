/**
 * Flags of Node for running a service. `tools/run.mjs` and `deploy/entrypoint.sh` repeat them; a test compares the
 * three.
 */
export const NODE_FLAGS = [
  // kafkajs sets timers with a negative delay when it is idle. That is harmless, but recent versions of Node warn about
  // it.
  '--disable-warning=TimeoutNegativeWarning',
  // Megabytes. By default V8 would let the young generation grow to four times that, and a relay with many open streams
  // fills the space and never gives it back.
  '--max-semi-space-size=16',
  // A process collects for itself once it is idle (`libs/process/src/give-back.ts`). V8 would do so after eight seconds,
  // and would drop compiled code and shrink the heap as well: the next requests would cost a third more.
  '--no-memory-reducer',
];
