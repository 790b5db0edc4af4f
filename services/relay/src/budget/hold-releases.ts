const RETRY_MS = 25;

/** Requests that wait for open holds of their user to end. */
export class HoldReleases {
  private readonly listeners = new Map<number, Set<() => void>>();
  private readonly waiting = new Map<number, number>();

  /** How many of a user wait for quota, for a hold to end or for billing to answer. */
  waitingOf(userId: number): number {
    return this.waiting.get(userId) ?? 0;
  }

  async asWaiting<Result>(userId: number, work: () => Promise<Result>): Promise<Result> {
    this.waiting.set(userId, this.waitingOf(userId) + 1);
    try {
      return await work();
    } finally {
      const left = this.waitingOf(userId) - 1;
      if (left > 0) this.waiting.set(userId, left);
      else this.waiting.delete(userId);
    }
  }

  /** Until a hold of the user ended, or for a short pause. */
  next(userId: number): Promise<void> {
    return new Promise((resolve) => {
      const listeners = this.listeners.get(userId) ?? new Set();
      this.listeners.set(userId, listeners);
      const wake = (): void => {
        clearTimeout(timer);
        listeners.delete(wake);
        if (listeners.size === 0) this.listeners.delete(userId);
        resolve();
      };
      const timer = setTimeout(wake, RETRY_MS);
      listeners.add(wake);
    });
  }

  notify(userId: number): void {
    for (const wake of [...(this.listeners.get(userId) ?? [])]) wake();
  }
}
