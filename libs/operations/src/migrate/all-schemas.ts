import { eventLogSchema, sessionSchema, openDatabase } from '@tollgate/database';
import type { Logger, ServiceDefinition, DatabaseDefinition } from '@tollgate/chassis';

/** All schemas that the product may have in PostgreSQL: one per service with tables, and the two of the platform. */
export const allSchemas = (services: readonly ServiceDefinition[]): DatabaseDefinition[] => [
  ...services.flatMap(({ name, database }) =>
    database ? [{ name, entities: database.entities, migrations: database.migrations }] : [],
  ),
  eventLogSchema,
  sessionSchema,
];

/** Names of the migrations that have been applied, by schema. */
export type AppliedMigrations = Record<string, string[]>;

/**
 * Migrates every schema, each under its lock, so that several runs, and services that start meanwhile, do not disturb
 * each other.
 */
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
