import { openClickhouse } from '@tollgate/adapters';
import type { Env } from '@tollgate/chassis';
import { makeColumnTable } from '@tollgate/logging';
import { migrateAll } from '@tollgate/operations';
import { allServices } from '../index.js';
import { refuseRest } from './arguments.js';
import { withInstallation, say } from './installation.js';

/** Migrates all schemas, as a job that runs before services with TOLLGATE_MIGRATE=never. */
export async function migrate(args: readonly string[]): Promise<void> {
  refuseRest(args);
  await withInstallation(
    async ({ databaseUrl, log, env }) => {
      const applied = await migrateAll(allServices, { url: databaseUrl, log });
      for (const [schema, names] of Object.entries(applied)) say(`${schema}: ${names.length} migrations`);
      if (env.TOLLGATE_LOG_STORE === 'clickhouse') await makeUsageLog(env);
      say('All schemas are up to date.');
    },
    { mayCreate: true },
  );
}

async function makeUsageLog(env: Env): Promise<void> {
  const columns = await openClickhouse({ ...env, TOLLGATE_MIGRATE: 'start' });
  try {
    await makeColumnTable(columns);
    say('ClickHouse: the table of the usage log');
  } finally {
    await columns.stop();
  }
}
