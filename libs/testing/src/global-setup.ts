import { constants } from 'node:os';
import { join } from 'node:path';
import type { TestServer } from './start-postgres.js';

/** State that the set-up passes to the teardown, which jest runs in the same process. */
export interface GlobalServers {
  tollgateTestServer?: TestServer;
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
    return;
  }
  if (process.env.CI === 'true') throw new Error(`No PostgreSQL for the tests: ${outcome.missing}`);
  process.env.TEST_DATABASE_MISSING = outcome.missing;
  process.stderr.write(`\nSKIPPED: every suite that needs PostgreSQL, because there is none: ${outcome.missing}\n\n`);
}

/**
 * Stops the server on a signal: jest runs no teardown when a run is interrupted, and the server is in another process
 * group, which Ctrl-C does not reach.
 */
function stopWith(server: TestServer): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void server.stop().finally(() => process.exit(128 + constants.signals[signal])));
}
