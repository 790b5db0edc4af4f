import type { ServiceName } from '@tollgate/contracts';
import type { FastifyInstance } from 'fastify';
import type { ColumnStore } from '../columns/column-store.js';
import type { Env } from '../config/env.js';
import type { SecretBox } from '../crypto/secret-box.js';
import type { EventLog } from '../events/event-log.js';
import type { ServiceDirectory } from '../http/service-directory.js';
import type { KeyValue } from '../key-value/key-value.js';
import type { Logger } from '../log/logger.js';
import { SeenRevisions } from './seen-revisions.js';
import type { OutboundClient } from '../outbound/outbound-client.js';
import type { Metrics } from '../metrics/metrics.js';

/** What the services of one process share. */
export abstract class Host {
  abstract readonly env: Env;
  abstract readonly logger: Logger;
  abstract readonly secrets: SecretBox;
  abstract readonly keyValue: KeyValue;
  abstract readonly eventLog: EventLog;
  /** Where the usage log is, unless it is in PostgreSQL. */
  abstract readonly columnStore: ColumnStore | undefined;
  abstract readonly outbound: OutboundClient;
  /** Services of other processes. */
  abstract readonly directory: ServiceDirectory;
  /** Absolute path of the data folder. */
  abstract readonly dataDir: string;
  /** URL of the database, as the administrator role that may create schemas. */
  abstract readonly databaseUrl: string;
  /** Services of this process, once they are initialised. */
  readonly instances = new Map<ServiceName, FastifyInstance>();
  /** Aborted by the wish to stop; who waits for something to start gives up. */
  readonly stopping = new AbortController();
  /** What a person should know who starts the product, e.g. where things are kept. */
  readonly notes: string[] = [];
  /** The newest revisions that any service of this process has heard of. */
  readonly revisions = new SeenRevisions();
  readonly metrics = new Map<ServiceName, Metrics>();
  /** Where people reach the product. A service in a process of its own knows the usual port only, unless it is told. */
  address = 'http://localhost:3000';
  /** Unix seconds of the process start. */
  readonly startedAt = Math.floor(Date.now() / 1000);
}

/** Set on a raw request that one service hands to another in the same process. */
export const REQUEST_ID: unique symbol = Symbol('tollgate.request-id');
