import type { ServerResponse } from 'node:http';

/** The longest time, in milliseconds, that a client may take nothing, however long upstreams may be silent. */
const MOST_MS = 300_000;

/**
 * Disconnects a client that has bytes waiting and took none of them for `idleMs`; the code that answers it sees a
 * client that left. This stays in force after `end`, until the response was sent. The socket's own timeout is used. It
 * looks for bytes taken only when it is due, and then begins anew, so it is noticed after one to two times `idleMs`.
 */
export function giveUpOnIdle(response: ServerResponse, idleMs: number): void {
  response.setTimeout(Math.min(idleMs, MOST_MS), () => {
    // With nothing waiting, it is the upstream that is silent.
    if (response.writableLength > 0) response.destroy();
  });
}
