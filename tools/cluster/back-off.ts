const FIRST_MS = 500;
const LONGEST_MS = 10_000;
/** What lived as long is in no crash loop. */
const STABLE_MS = 30_000;

/** How long to wait before something that ended by itself is started again. */
export class BackOff {
  private nextMs = FIRST_MS;

  /** Milliseconds, twice as many after each short life. */
  after(livedMs: number): number {
    if (livedMs > STABLE_MS) this.nextMs = FIRST_MS;
    const ms = this.nextMs;
    this.nextMs = Math.min(ms * 2, LONGEST_MS);
    return ms;
  }
}
