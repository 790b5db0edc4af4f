import type { TestServer } from './start-postgres.js';

/** What the set-up leaves for the teardown, which jest runs in the same process. */
export interface GlobalServers {
  tollgateTestServer?: TestServer;
}

/** Starts one database server for the whole run. Without any, CI fails and a laptop skips the suites that need it. */
export default async function globalSetup(): Promise<void> {
  const hooks = new URL('./typescript-hooks.ts', import.meta.url).href;
  const { allowTypeScript } = (await import(hooks)) as { allowTypeScript: () => void };
  allowTypeScript();
  const module = new URL('./start-postgres.ts', import.meta.url).href;
  const { startPostgres } = (await import(module)) as typeof import('./start-postgres.js');
  const outcome = await startPostgres();
  if ('url' in outcome) {
    (globalThis as GlobalServers).tollgateTestServer = outcome;
    process.env.TEST_DATABASE_URL = outcome.url;
    return;
  }
  if (process.env.CI === 'true') throw new Error(`No PostgreSQL for the tests: ${outcome.missing}`);
  process.env.TEST_DATABASE_MISSING = outcome.missing;
  process.stderr.write(`\nSKIPPED: every suite that needs PostgreSQL, because there is none: ${outcome.missing}\n\n`);
}
