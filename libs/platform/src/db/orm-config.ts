import type { Constructor } from '@mikro-orm/core';
import type { Migration } from '@mikro-orm/migrations';
import type { EntitySchema } from '@mikro-orm/postgresql';
import type { Logger } from '../log/logger.js';

/** What a service keeps in PostgreSQL. `name` is the schema; the role is `tollgate_<name>`. */
export interface DatabaseDefinition {
  name: string;
  /** Entity classes of `defineEntity` + `setClass`, or their schemas. Platform adds outbox and quarantine. */
  entities: readonly (Constructor | EntitySchema)[];
  /** In the order they run; only the service's own. */
  migrations: readonly Constructor<Migration>[];
}

export interface DatabaseOptions {
  definition: DatabaseDefinition;
  url: string;
  log: Logger;
  /** 8 unless stated. */
  poolSize?: number;
  migrate: 'start' | 'never';
}
