import { TraceFlags } from '@opentelemetry/api';

/** Traces per second and process that outside senders may demand. */
const GRANTED_PER_SECOND = 10;

/**
 * Decides whether a request is traced whose outside sender wants it traced. Each span burdens the collector, so only a few such wishes a
 * second are granted; beyond that the request is sampled like those without a trace. The trace id is kept either way.
 */
export class OutsideSampler {
  private left = GRANTED_PER_SECOND;
  private at = 0;

  constructor(
    private readonly share: number,
    private readonly chance: () => number = Math.random,
  ) {}

  /** `now`: milliseconds of a monotonic clock. */
  flags(sent: number, now: number): number {
    if ((sent & TraceFlags.SAMPLED) === 0) return sent;
    this.left = Math.min(GRANTED_PER_SECOND, this.left + ((now - this.at) / 1000) * GRANTED_PER_SECOND);
    this.at = now;
    if (this.left >= 1) {
      this.left -= 1;
      return sent;
    }
    return this.chance() < this.share ? sent : sent & ~TraceFlags.SAMPLED;
  }
}
