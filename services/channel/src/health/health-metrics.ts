import { Injectable } from '@nestjs/common';
import { Metrics } from '@tollgate/chassis';

type Decision = 'disabled' | 'held' | 'cleared' | 'unproven';

/** How often the system decided what about suspect channels. */
@Injectable()
export class HealthMetrics {
  private readonly decisions;

  constructor(metrics: Metrics) {
    this.decisions = metrics.counter(
      'tollgate_channel_health_decisions_total',
      'Automatic decisions about channels: disabled, held by the mass-disable brake, cleared by a probe, unproven.',
      ['decision'],
    );
  }

  count(decision: Decision): void {
    this.decisions.inc({ decision });
  }
}
