import type { ServerResponse } from 'node:http';

/** The longest time, in milliseconds, that a client may take nothing, however long upstreams may be silent. */
const MOST_MS = 300_000;

/**
 * A client that has bytes waiting and took none of them for `idleMs` is taken for gone: its connection ends, which whoever answers it hears
 * as a client that left. Holds until the response is out, past its `end` too. The time is the socket's, which every byte taken renews.
 */
export function giveUpOnIdle(response: ServerResponse, idleMs: number): void {
  response.setTimeout(Math.min(idleMs, MOST_MS), () => {
    // Without anything to take, it is the upstream that is silent.
    if (response.writableLength > 0) response.destroy();
  });
}
