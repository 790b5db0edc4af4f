/** Minimum time between two turns, in milliseconds. */
const SPARE_MS = 5;

/**
 * Gives turns to work for which only spare time may be used, in the order in which it was asked for, so that nobody
 * waits for ever beside others that ask as often.
 */
export class SpareTurns {
  private readonly waiting: (() => void)[] = [];
  private nextAt = -Infinity;
  private timer: NodeJS.Timeout | undefined;

  /** `isIdle` says whether there is time to spare; call `offer` when there may be some again. */
  constructor(private readonly isIdle: () => boolean) {}

  ask(work: () => void): void {
    this.waiting.push(work);
    this.offer();
  }

  offer(): void {
    if (this.timer || this.waiting.length === 0 || !this.isIdle()) return;
    const wait = this.nextAt - performance.now();
    if (wait > 0) return this.offerIn(wait);
    this.nextAt = performance.now() + SPARE_MS;
    this.waiting.shift()?.();
    // The work may have found nothing to do, so that nobody else would offer the next turn.
    this.offer();
  }

  private offerIn(ms: number): void {
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.offer();
    }, ms);
    this.timer.unref();
  }
}
