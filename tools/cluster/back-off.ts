const FIRST_MS = 500;
const LONGEST_MS = 10_000;
/** A process that ran for this long is not in a crash loop. */
const STABLE_MS = 30_000;

/** Computes how long to wait before a process that ended unexpectedly is started again. */
export class BackOff {
  private nextMs = FIRST_MS;

  /** Milliseconds to wait; doubled after each short life, up to a limit. */
  after(livedMs: number): number {
    if (livedMs > STABLE_MS) this.nextMs = FIRST_MS;
    const ms = this.nextMs;
    this.nextMs = Math.min(ms * 2, LONGEST_MS);
    return ms;
  }
}
