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
  /** The store of the usage log, unless it is in PostgreSQL. */
  abstract readonly columnStore: ColumnStore | undefined;
  abstract readonly outbound: OutboundClient;
  /** Addresses of services in other processes. */
  abstract readonly directory: ServiceDirectory;
  /** Absolute path of the data folder. */
  abstract readonly dataDir: string;
  /** URL of the database for the administrator role, which may create schemas. */
  abstract readonly databaseUrl: string;
  /** Applications of this process's services, once initialised. */
  readonly instances = new Map<ServiceName, FastifyInstance>();
  /** Aborted when the process is asked to stop; start-up steps that wait for something then give up. */
  readonly stopping = new AbortController();
  /** Messages for the operator at start-up, e.g. where data is stored. */
  readonly notes: string[] = [];
  /** The newest revisions that any service of this process has learned of. */
  readonly revisions = new SeenRevisions();
  readonly metrics = new Map<ServiceName, Metrics>();
  /** Public URL of the product. A service in a process of its own assumes the default port unless configured. */
  address = 'http://localhost:3000';
  /** Unix seconds of the process start. */
  readonly startedAt = Math.floor(Date.now() / 1000);
}

/** Request id on a raw request that one service hands to another in the same process. */
export const REQUEST_ID: unique symbol = Symbol('tollgate.request-id');
