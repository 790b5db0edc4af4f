/** Injected wherever time decides something, so that tests can move it. */
export class Clock {
  /** Milliseconds since the epoch. */
  now(): number {
    return Date.now();
  }

  /** Unix seconds, as the documented replies carry them. */
  seconds(): number {
    return Math.floor(this.now() / 1000);
  }

  /** Milliseconds that never jump, for durations and deadlines. */
  monotonic(): number {
    return performance.now();
  }
}
