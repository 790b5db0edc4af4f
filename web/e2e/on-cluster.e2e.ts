import { afterAll, describe, it } from '@jest/globals';
import { startKafka } from '@tollgate/testing';

/**
 * The journeys that depend most on several replicas agreeing, on the cluster: what one person changes is read from another replica at once,
 * arrives in the browsers of others, and counts towards one limit. All journeys run there with `TOLLGATE_E2E=cluster`.
 */
const broker = process.env.TOLLGATE_E2E === 'cluster' ? undefined : await startKafka();

if (broker) {
  process.env.TOLLGATE_E2E = 'cluster';
  // One broker for the clusters of all journeys, because its start takes longest.
  process.env.TEST_KAFKA_BROKERS = broker.brokers;
  afterAll(() => broker.stop());
  await import('./finance.e2e.js');
  await import('./live-option.e2e.js');
  await import('./token-budget.e2e.js');
  await import('./together.e2e.js');
} else {
  describe.skip('journeys on the cluster', () => {
    it('need Kafka, and are not repeated where every journey runs on the cluster', () => undefined);
  });
}
