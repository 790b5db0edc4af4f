import { migrateAll } from '@tollgate/operations';
import { allServices } from '../index.js';
import { withInstallation, say } from './installation.js';

/** For a job that runs before services which are told to leave the schemas alone. */
export const migrate = (): Promise<void> =>
  withInstallation(async ({ databaseUrl, log }) => {
    const applied = await migrateAll(allServices, { url: databaseUrl, log });
    for (const [schema, names] of Object.entries(applied)) say(`${schema}: ${names.length} migrations`);
    say('All schemas are up to date.');
  });
