import { describe, expect, it } from '@jest/globals';
import { Metrics } from '@tollgate/chassis';
import { HealthMetrics } from './health-metrics.js';

const NAME = 'tollgate_channel_health_decisions_total';

describe('decisions about channels', () => {
  it('are counted from 0, so that the first of each kind is an increase', async () => {
    const metrics = new Metrics('channel');
    const decisions = new HealthMetrics(metrics);
    const counted = async (): Promise<Record<string, number>> => {
      const values = (await metrics.registry.getSingleMetric(NAME)?.get())?.values ?? [];
      return Object.fromEntries(values.map(({ labels, value }) => [labels['decision'], value]));
    };
    expect(await counted()).toEqual({ disabled: 0, held: 0, cleared: 0, unproven: 0 });
    decisions.count('held');
    expect(await counted()).toEqual({ disabled: 0, held: 1, cleared: 0, unproven: 0 });
  });
});
