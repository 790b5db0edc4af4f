import { constants } from 'node:os';
import { join } from 'node:path';
import type { TestServer } from './start-postgres.js';

/** What the set-up leaves for the teardown, which jest runs in the same process. */
export interface GlobalServers {
  tollgateTestServer?: TestServer;
}

/** Starts one database server for the whole run. Without any, CI fails and a laptop skips the suites that need it. */
export default async function globalSetup(): Promise<void> {
  // By path, since jest turns these imports into `require`, and in this order, since the first makes the second possible.
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

/** Jest calls no teardown when a run is broken off, and the server is in no group that a terminal signals. */
function stopWith(server: TestServer): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void server.stop().finally(() => process.exit(128 + constants.signals[signal])));
}
