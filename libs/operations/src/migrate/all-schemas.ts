import { eventLogSchema, sessionSchema, openDatabase } from '@tollgate/database';
import type { Logger, ServiceDefinition, DatabaseDefinition } from '@tollgate/chassis';

/** Everything the product may keep in PostgreSQL: a schema per service with tables, and the two of the platform. */
export const allSchemas = (services: readonly ServiceDefinition[]): DatabaseDefinition[] => [
  ...services.flatMap(({ name, database }) =>
    database ? [{ name, entities: database.entities, migrations: database.migrations }] : [],
  ),
  eventLogSchema,
  sessionSchema,
];

/** The names of the migrations that a schema has now. */
export type AppliedMigrations = Record<string, string[]>;

/** Brings every schema up to date, each under its lock, so that it may run beside itself and beside starting services. */
export async function migrateAll(
  services: readonly ServiceDefinition[],
  { url, log, migrate = 'start' }: { url: string; log: Logger; migrate?: 'start' | 'never' },
): Promise<AppliedMigrations> {
  const applied: AppliedMigrations = {};
  for (const definition of allSchemas(services)) {
    const orm = await openDatabase({ definition, url, log, migrate, poolSize: 2 });
    try {
      applied[definition.name] = (await orm.migrator.getExecuted()).map(({ name }) => name);
    } finally {
      await orm.close(true);
    }
  }
  return applied;
}
