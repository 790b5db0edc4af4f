const RETRY_MS = 25;

/** Keeps the requests that wait for open holds of their user to end. */
export class HoldReleases {
  private readonly listeners = new Map<number, Set<() => void>>();
  private readonly waiting = new Map<number, number>();

  /** How many requests of a user wait for quota, whether for a hold to end or for billing's reply. */
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

  /** Resolves when a hold of the user ends, or after `RETRY_MS`. */
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
