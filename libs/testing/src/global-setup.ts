import { constants } from 'node:os';
import { join } from 'node:path';
import type { TestKafka } from './start-kafka.js';
import type { TestServer } from './start-postgres.js';

/** State that the set-up passes to the teardown, which jest runs in the same process. */
export interface GlobalServers {
  tollgateTestServer?: TestServer;
  tollgateTestKafka?: TestKafka;
}

/**
 * Starts one database server for the whole run. If none is available, CI fails, and elsewhere the suites that need it
 * are skipped.
 */
export default async function globalSetup(): Promise<void> {
  // Imported by computed path because jest would turn literal imports into `require`, and in this order because the
  // first import registers the hooks for the second.
  const hooks = (await import(
    join(import.meta.dirname, 'typescript-hooks.ts')
  )) as typeof import('./typescript-hooks.js');
  hooks.allowTypeScript();
  const { startPostgres } = (await import(
    join(import.meta.dirname, 'start-postgres.ts')
  )) as typeof import('./start-postgres.js');
  const outcome = await startPostgres();
  if ('url' in outcome) {
    (globalThis as GlobalServers).tollgateTestServer = outcome;
    stopWith(outcome);
    process.env.TEST_DATABASE_URL = outcome.url;
    if (process.env.TOLLGATE_E2E === 'cluster') await startBroker();
    return;
  }
  if (process.env.CI === 'true') throw new Error(`No PostgreSQL for the tests: ${outcome.missing}`);
  process.env.TEST_DATABASE_MISSING = outcome.missing;
  process.stderr.write(`\nSKIPPED: every suite that needs PostgreSQL, because there is none: ${outcome.missing}\n\n`);
}

/** Starts one broker for all clusters of the run, because each would otherwise wait half a minute for its own. */
async function startBroker(): Promise<void> {
  const { startKafka } = (await import(
    join(import.meta.dirname, 'start-kafka.ts')
  )) as typeof import('./start-kafka.js');
  const broker = await startKafka();
  if (!broker) return;
  (globalThis as GlobalServers).tollgateTestKafka = broker;
  process.env.TEST_KAFKA_BROKERS = broker.brokers;
}

/**
 * Stops the server on a signal: jest runs no teardown when a run is interrupted, and the server is in another process
 * group, which Ctrl-C does not reach.
 */
function stopWith(server: TestServer): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void server.stop().finally(() => process.exit(128 + constants.signals[signal])));
}
