import { TraceFlags } from '@opentelemetry/api';

/** How often a second, in one process, somebody outside may have a request traced. */
const GRANTED_PER_SECOND = 10;

/**
 * Whether a request is traced whose sender, somebody outside, wants it traced. Each span costs a collector, so such a wish is granted a few times a
 * second; beyond that chance decides as it does for requests that bring no trace. The trace keeps its id either way.
 */
export class OutsideSampler {
  private left = GRANTED_PER_SECOND;
  private at = 0;

  constructor(
    private readonly share: number,
    private readonly chance: () => number = Math.random,
  ) {}

  /** `now`: milliseconds that never jump. */
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
