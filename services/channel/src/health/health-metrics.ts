import { Injectable } from '@nestjs/common';
import { Metrics } from '@tollgate/chassis';

const DECISIONS = ['disabled', 'held', 'cleared', 'unproven'] as const;
export type Decision = (typeof DECISIONS)[number];

/** Counts the system's decisions about suspect channels. */
@Injectable()
export class HealthMetrics {
  private readonly decisions;

  constructor(metrics: Metrics) {
    this.decisions = metrics.counter(
      'tollgate_channel_health_decisions_total',
      'Automatic decisions about channels: disabled, held by the mass-disable brake, cleared by a probe, unproven.',
      ['decision'],
    );
    // Counters start at 0, or the first decision of a kind would not show as an increase.
    for (const decision of DECISIONS) this.decisions.inc({ decision }, 0);
  }

  count(decision: Decision): void {
    this.decisions.inc({ decision });
  }
}
