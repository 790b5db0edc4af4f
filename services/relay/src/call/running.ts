import type { Clock } from '@tollgate/chassis';

const LOOK_MS = 20;
/** How long a stop waits for the last records before the spool is closed, in milliseconds. */
export const LAST_RECORDS_MS = 5000;

/** Counts the work that runs, so that a stop can wait until its records are written. */
export class Running {
  count = 0;

  constructor(private readonly clock: Clock) {}

  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.count += 1;
    try {
      return await work();
    } finally {
      this.count -= 1;
    }
  }

  /** Resolves when nothing runs any more, and at the latest after this many milliseconds. */
  async idle(ms: number): Promise<void> {
    const deadline = this.clock.monotonic() + ms;
    while (this.count > 0 && this.clock.monotonic() < deadline)
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
