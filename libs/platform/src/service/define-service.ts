import type { Type } from '@nestjs/common';
import type { ServiceName } from '@tollgate/contracts';
import type { DatabaseDefinition } from '../db/orm-config.js';

/** All that tells one service from another; everything else is platform. */
export interface ServiceDefinition {
  /** Schema, role, consumer group, metrics label and log child. */
  name: ServiceName;
  module: Type;
  /** Absent: the service owns no tables. */
  database?: Pick<DatabaseDefinition, 'entities' | 'migrations'> & {
    /** Queries of one `value` each, by what they tell: figures that a copy of the schema must repeat. */
    proofs?: Record<string, string>;
  };
}

export const defineService = (definition: ServiceDefinition): ServiceDefinition => definition;
