/** So many failures in a row open a breaker. */
const IN_A_ROW = 5;
/** It also opens when at least half of at least `LEAST_ATTEMPTS` failed within the last 30 seconds. */
const STEP_MS = 5000;
const STEPS = 6;
const LEAST_ATTEMPTS = 20;
const FIRST_PAUSE_MS = 5000;
const LONGEST_PAUSE_MS = 60_000;
/** So that replicas, and channels of one provider, are not tried again all at the same moment. */
const JITTER = 0.2;

/** The attempt that finds out whether a channel works again. There is one at a time, and it is told by its identity. */
export type Trial = object;

/** Counts attempts by steps of time, of which the oldest is forgotten as a new one begins. */
class RecentAttempts {
  private readonly steps: { at: number; count: number; failures: number }[] = [];

  add(now: number, hasFailed: boolean): void {
    const at = Math.floor(now / STEP_MS);
    this.forget(now);
    let last = this.steps.at(-1);
    if (last?.at !== at) this.steps.push((last = { at, count: 0, failures: 0 }));
    last.count += 1;
    if (hasFailed) last.failures += 1;
  }

  /** Counted from the first failure on, because nothing is kept of a channel that never fails. */
  get areBad(): boolean {
    const count = this.steps.reduce((sum, step) => sum + step.count, 0);
    return count >= LEAST_ATTEMPTS && 2 * this.failures >= count;
  }

  hasFailures(now: number): boolean {
    this.forget(now);
    return this.failures > 0;
  }

  private get failures(): number {
    return this.steps.reduce((sum, step) => sum + step.failures, 0);
  }

  private forget(now: number): void {
    const oldest = Math.floor(now / STEP_MS) - STEPS + 1;
    while ((this.steps[0]?.at ?? oldest) < oldest) this.steps.shift();
  }
}

/**
 * Decides from the attempts at one channel whether requests should rather go elsewhere (open) or not (closed). After a
 * pause one attempt at a time is let through; its success closes the breaker, its failure doubles the pause. Times are
 * milliseconds of a monotonic clock.
 */
export class Breaker {
  private recent = new RecentAttempts();
  private failuresInARow = 0;
  /** The length of the pause; 0 while closed. */
  private pauseMs = 0;
  private until = 0;
  private trial: Trial | undefined;
  /** A trial that takes longer no longer keeps others from finding out. */
  private trialUntil = 0;

  /** `random` is uniform in [0, 1). */
  constructor(private readonly random: () => number) {}

  /** Whether the channel works as far as is known. */
  get isClosed(): boolean {
    return this.pauseMs === 0;
  }

  /** Whether requests should go elsewhere. An open breaker whose pause is over lets one through at a time. */
  isOpen(now: number): boolean {
    return !this.isClosed && (now < this.until || (this.trial !== undefined && now < this.trialUntil));
  }

  /** Whether there is nothing to remember. */
  isCalm(now: number): boolean {
    return this.isClosed && !this.recent.hasFailures(now);
  }

  /** To be called before each attempt. A trial must be ended, whatever becomes of it. */
  begin(now: number): Trial | undefined {
    if (this.isClosed || this.isOpen(now)) return undefined;
    this.trialUntil = now + Math.max(this.pauseMs, FIRST_PAUSE_MS);
    return (this.trial = {});
  }

  /** Ends a trial that showed nothing: the client left, or the request was at fault. */
  end(trial: Trial): void {
    if (this.trial === trial) this.trial = undefined;
  }

  /** Returns whether the breaker closes. */
  succeeded(now: number): boolean {
    const closes = !this.isClosed;
    this.failuresInARow = 0;
    this.trial = undefined;
    this.pauseMs = 0;
    if (closes) this.recent = new RecentAttempts();
    else this.recent.add(now, false);
    return closes;
  }

  /**
   * Returns for how many milliseconds the breaker opens by this failure; 0 where it does not. `retryAfter`: how long the
   * upstream asks not to be called, in seconds.
   */
  failed(now: number, retryAfter?: number): number {
    // Attempts that began before it opened, or for which there was no other channel, say nothing new.
    if (!this.isClosed) return 0;
    this.failuresInARow += 1;
    this.recent.add(now, true);
    if (retryAfter !== undefined || this.failuresInARow >= IN_A_ROW || this.recent.areBad)
      return this.open(now, FIRST_PAUSE_MS, retryAfter);
    return 0;
  }

  /** Ends a trial that failed; returns the same. */
  failedAgain(now: number, trial: Trial, retryAfter?: number): number {
    if (this.trial !== trial) return 0;
    this.trial = undefined;
    return this.open(now, Math.max(2 * this.pauseMs, FIRST_PAUSE_MS), retryAfter);
  }

  private open(now: number, pauseMs: number, retryAfter: number | undefined): number {
    const jitter = retryAfter === undefined ? 1 - JITTER + 2 * JITTER * this.random() : 1;
    this.pauseMs = Math.min(retryAfter === undefined ? pauseMs : 1000 * retryAfter, LONGEST_PAUSE_MS);
    this.until = now + Math.min(this.pauseMs * jitter, LONGEST_PAUSE_MS);
    return this.until - now;
  }
}
