/** Injected wherever a decision depends on time, so that tests can control it. */
export class Clock {
  /** Milliseconds since the epoch. */
  now(): number {
    return Date.now();
  }

  /** Unix seconds, as the documented replies carry them. */
  seconds(): number {
    return Math.floor(this.now() / 1000);
  }

  /** Milliseconds of a clock that is never set, for durations and deadlines. */
  monotonic(): number {
    return performance.now();
  }
}
