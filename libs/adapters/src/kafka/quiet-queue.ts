import { createRequire } from 'node:module';

/** A connection's requests, as kafkajs 2.2.4 keeps them. */
export interface RequestQueue {
  /** Those that wait because too many are on their way, or because the broker wants a pause. */
  readonly pending: unknown[];
  checkPendingRequests(): void;
  scheduleCheckPendingRequests(): void;
}

const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue/index.js') as {
  prototype: RequestQueue;
};
const schedule = prototype.scheduleCheckPendingRequests;
let isQuiet = false;

/**
 * kafkajs looks for waiting requests after every answer, and from then on every millisecond for ever, on each connection: it takes the
 * moment of a pause that never was for a time to come. That cost an idle process several percent of a core. Nothing needs to be looked for
 * while nothing waits: whatever begins to wait sets the timer itself.
 */
export function quietIdleConnections(): void {
  if (isQuiet) return;
  isQuiet = true;
  prototype.scheduleCheckPendingRequests = function scheduleIfNeeded(this: RequestQueue): void {
    if (this.pending.length > 0) schedule.call(this);
  };
}
