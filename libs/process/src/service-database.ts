import { RequestContext } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import type { ServiceName } from '@tollgate/contracts';
import {
  type Binding,
  type Host,
  type Lifecycle,
  type Logger,
  broadcastChannel,
  type Metrics,
  type ServiceDefinition,
} from '@tollgate/chassis';
import {
  CombinedReads,
  EventsServer,
  Leader,
  measureLag,
  measureTables,
  openDatabase,
  Outbox,
  OutboxPump,
} from '@tollgate/database';

/** The database of a service with tables. This module is loaded only in processes with such a service. */
export interface ServiceDatabase {
  /** Values that constructors of the service can inject. */
  bindings: Binding[];
  /** Runs a request with an ORM session of its own. */
  inDatabase(request: () => void): void;
  /** Delivers events of the log to the service's handlers, once it is connected to the application. */
  events: EventsServer;
  close(): Promise<void>;
}

interface Parts {
  host: Host;
  lifecycle: Lifecycle;
  logger: Logger;
  metrics: Metrics;
}

/** Opens the service's schema, and runs its outbox from readiness until the drain. */
export async function openServiceDatabase(definition: ServiceDefinition, parts: Parts): Promise<ServiceDatabase> {
  const { host, lifecycle, logger, metrics } = parts;
  const { name, database } = definition;
  const orm = await openDatabase({
    definition: { name, entities: database?.entities ?? [], migrations: database?.migrations ?? [] },
    url: host.databaseUrl,
    log: logger,
    migrate: host.env.TOLLGATE_MIGRATE,
  });
  const em = orm.em as unknown as EntityManager;
  const leader = new Leader({ url: host.databaseUrl, name, log: logger, keyIds: host.secrets.keyIds });
  const reads = new CombinedReads(em);
  const pump = outboxPump(name, { em, reads, leader }, parts);
  lifecycle.onReady(async () => {
    await leader.start();
    pump.start();
    lifecycle.onDrain(await host.keyValue.subscribe(outboxChannel(name), () => leader.isLeader && pump.kick()));
  });
  lifecycle.onDrain(async () => {
    await pump.stop();
    await leader.stop();
  });
  const events = new EventsServer({ service: name, eventLog: host.eventLog, log: logger, orm });
  measureTables(metrics, em);
  measureLag(metrics, { eventLog: host.eventLog, group: name, topicsOf: () => events.topics });
  return {
    bindings: [
      [EntityManager, orm.em],
      [Leader, leader],
      [CombinedReads, reads],
      [Outbox, new Outbox(orm.em, name, () => pump.kick())],
    ],
    inDatabase: (request) => RequestContext.create(orm.em, request),
    events,
    close: () => orm.close(true),
  };
}

const outboxChannel = (service: ServiceName): string => `outbox:${service}`;

const outboxPump = (
  service: ServiceName,
  { em, reads, leader }: Pick<ConstructorParameters<typeof OutboxPump>[0], 'em' | 'reads'> & { leader: Leader },
  { host, logger }: Parts,
): OutboxPump =>
  new OutboxPump({
    // If this broadcast is lost, the leader finds the events within a second on its own.
    onElsewhere: () => void host.keyValue.publish(outboxChannel(service), '').catch(() => undefined),
    em,
    reads,
    eventLog: host.eventLog,
    leader,
    log: logger,
    onPublished: async (topic, records) => {
      for (const key of new Set(records.map((record) => record.key)))
        await host.keyValue.publish(broadcastChannel(topic), key);
    },
  });
