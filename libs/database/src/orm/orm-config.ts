import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, type Options } from '@mikro-orm/postgresql';
import { OutboxEvent } from './outbox-event.entity.js';
import { QuarantinedEvent } from './quarantine.entity.js';
import type { DatabaseDefinition, Logger } from '@tollgate/chassis';
import { clientConfig, type SchemaAccess } from './connection.js';
import { eventTablesMigrations } from './event-tables.migration.js';
import { withLockTimeout } from './lock-timeout.js';

export interface DatabaseOptions {
  definition: DatabaseDefinition;
  url: string;
  log: Logger;
  /** 8 by default. */
  poolSize?: number;
  migrate: 'start' | 'never';
}

export const DEFAULT_POOL_SIZE = 8;

/**
 * `contextName` is the schema's name: with the default one, two ORMs of one process would resolve each other's session. `em.execute` does
 * not qualify table names, so the search path of every connection is set to the schema.
 */
export function ormConfig(
  { definition, url, log, poolSize = DEFAULT_POOL_SIZE }: DatabaseOptions,
  access: SchemaAccess,
): Options {
  // Schemas of the libraries themselves have no entities, hence neither outbox nor quarantine.
  const isService = definition.entities.length > 0;
  return defineConfig({
    clientUrl: url,
    driverOptions: clientConfig(url, access),
    schema: definition.name,
    contextName: definition.name,
    entities: isService ? [...definition.entities, OutboxEvent, QuarantinedEvent] : [],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    pool: { min: 0, max: poolSize, idleTimeoutMillis: 30_000 },
    metadataCache: { enabled: false },
    migrations: {
      migrationsList: withLockTimeout([...(isService ? eventTablesMigrations : []), ...definition.migrations]),
      snapshot: false,
      tableName: 'migration',
      // Each migration has its own transaction, so that locks of the first are not held while the last one reads the whole journal.
      allOrNothing: false,
    },
    logger: (message) => log.debug(message),
    colors: false,
  });
}
