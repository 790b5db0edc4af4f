import type { AnyEntity, Constructor, EntityClass } from '@mikro-orm/core';
import type { Migration } from '@mikro-orm/migrations';
import type { EntitySchema } from '@mikro-orm/postgresql';
import type { Type } from '@nestjs/common';
import type { ServiceName } from '@tollgate/contracts';
import type { SealedColumn } from '../crypto/sealed-column.js';
import type { BookCheck } from './book-check.js';

/** A service's part of PostgreSQL. `name` is the schema; the role is `tollgate_<name>`. */
export interface DatabaseDefinition {
  name: string;
  /** Entity classes of `defineEntity` + `setClass`, or their schemas. The library adds outbox and quarantine. */
  entities: readonly (EntityClass<AnyEntity> | EntitySchema)[];
  /** In the order they run; the service's own only. */
  migrations: readonly (Constructor<Migration> | { name: string; class: Constructor<Migration> })[];
}

/** Everything in which services differ; the rest is the chassis. */
export interface ServiceDefinition {
  /** Also the name of the schema, database role, consumer group, metrics label and log child. */
  name: ServiceName;
  module: Type;
  /** Absent when the service owns no tables. */
  database?: Pick<DatabaseDefinition, 'entities' | 'migrations'> & {
    /** Queries that return a single `value`, by description: figures that must be equal in a copy of the schema. */
    proofs?: Record<string, string>;
    /** Consistency checks within the schema; `reconcile` runs them. */
    checks?: readonly BookCheck[];
    /** All columns with ciphertexts; `secrets rotate` seals them anew. */
    seals?: readonly SealedColumn[];
  };
}

export const defineService = (definition: ServiceDefinition): ServiceDefinition => definition;
