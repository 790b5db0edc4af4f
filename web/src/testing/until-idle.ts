import { baseApi } from '../api/base-api.js';
import type { Store } from '../app/store.js';

/**
 * Waits until nothing is asked of the server any more, and what the last reply led to has happened; what has not been
 * asked then will not be, unless a timer asks it. In a rendered page it is called inside `act`.
 */
export async function untilIdle({ dispatch }: Store): Promise<void> {
  for (;;) {
    const running = [
      ...dispatch(baseApi.util.getRunningQueriesThunk()),
      ...dispatch(baseApi.util.getRunningMutationsThunk()),
    ];
    await Promise.allSettled(running);
    // What a reply leads to begins within this turn of the event loop.
    await new Promise((resolve) => setTimeout(resolve, 0));
    if (running.length === 0) return;
  }
}
