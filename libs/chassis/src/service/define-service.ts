import type { AnyEntity, Constructor, EntityClass } from '@mikro-orm/core';
import type { Migration } from '@mikro-orm/migrations';
import type { EntitySchema } from '@mikro-orm/postgresql';
import type { Type } from '@nestjs/common';
import type { ServiceName } from '@tollgate/contracts';
import type { SealedColumn } from '../crypto/sealed-column.js';
import type { BookCheck } from './book-check.js';

/** What a service keeps in PostgreSQL. `name` is the schema; the role is `tollgate_<name>`. */
export interface DatabaseDefinition {
  name: string;
  /** Entity classes of `defineEntity` + `setClass`, or their schemas. Platform adds outbox and quarantine. */
  entities: readonly (EntityClass<AnyEntity> | EntitySchema)[];
  /** In the order they run; only the service's own. */
  migrations: readonly (Constructor<Migration> | { name: string; class: Constructor<Migration> })[];
}

/** All that tells one service from another; everything else is the chassis. */
export interface ServiceDefinition {
  /** Schema, role, consumer group, metrics label and log child. */
  name: ServiceName;
  module: Type;
  /** Absent: the service owns no tables. */
  database?: Pick<DatabaseDefinition, 'entities' | 'migrations'> & {
    /** Queries of one `value` each, by what they tell: figures that a copy of the schema must repeat. */
    proofs?: Record<string, string>;
    /** What must hold inside of the schema; `reconcile` asks for it. */
    checks?: readonly BookCheck[];
    /** Every column with ciphertexts; `secrets rotate` seals them anew. */
    seals?: readonly SealedColumn[];
  };
}

export const defineService = (definition: ServiceDefinition): ServiceDefinition => definition;
