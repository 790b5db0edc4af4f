import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import {
  SecretBox,
  EventLog,
  CallPass,
  ReadModels,
  InProcessInternalClient,
  HttpInternalClient,
  InternalClient,
  ApiDescription,
  KeyValue,
  Logger,
  Metrics,
  OptionStore,
  OutboundClient,
  SessionStore,
  Clock,
  type ServiceDefinition,
  Host,
  createHttpApp,
  Lifecycle,
  type Binding,
  ChassisModule,
  ServiceRootModule,
} from '@tollgate/chassis';
import type { ServiceDatabase } from './service-database.js';

export interface RunningService {
  definition: ServiceDefinition;
  app: NestFastifyApplication;
  instance: FastifyInstance;
  /**
   * Starts the service's work once other services are reachable: read models load, events are delivered, duties start.
   */
  ready(): Promise<void>;
  /** Whether the service accepts traffic. */
  isReady(): boolean;
  /** Reports not ready to probes, and continues to serve requests. */
  leave(): void;
  /** Finishes running work, stops events and duties, closes the database. */
  stop(): Promise<void>;
}

interface Chassis {
  bindings: Binding[];
  lifecycle: Lifecycle;
  logger: Logger;
  metrics: Metrics;
  readModels: ReadModels;
  database?: ServiceDatabase;
}

/**
 * Builds one service in this process. When this resolves, the service can answer calls; after `ready` it does its work.
 */
export async function startService(definition: ServiceDefinition, host: Host): Promise<RunningService> {
  const chassis = await buildChassis(definition, host);
  const { lifecycle, database } = chassis;
  const root = { module: ServiceRootModule, imports: [ChassisModule.with(chassis.bindings), definition.module] };
  const app = await createHttpApp(root as never, {
    ...{ host, ...chassis, inDatabase: database?.inDatabase },
    compresses: definition.name !== 'relay',
  });
  if (database) app.connectMicroservice({ strategy: database.events });
  await app.init();
  const instance = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  await instance.ready();
  host.instances.set(definition.name, instance);
  return {
    definition,
    app,
    instance,
    async ready() {
      await lifecycle.ready();
      if (database) await app.startAllMicroservices();
    },
    isReady: () => lifecycle.accepting,
    leave: () => lifecycle.leave(),
    async stop() {
      try {
        await lifecycle.drain();
      } finally {
        await app.close();
        await database?.close();
      }
    },
  };
}

async function buildChassis(definition: ServiceDefinition, host: Host): Promise<Chassis> {
  const { name, database } = definition;
  const logger = host.logger.child({ service: name });
  const metrics = new Metrics(name);
  host.metrics.set(name, metrics);
  const lifecycle = new Lifecycle();
  const internal = internalClient(name, { host, lifecycle, metrics });
  const options = new OptionStore(internal, logger);
  const readModels = new ReadModels(host.revisions, { lifecycle, logger, keyValue: host.keyValue });
  const bindings: Binding[] = [
    [Host, host],
    [Logger, logger],
    [Metrics, metrics],
    [Lifecycle, lifecycle],
    [Clock, new Clock()],
    [SecretBox, host.secrets],
    [KeyValue, host.keyValue],
    [EventLog, host.eventLog],
    [OutboundClient, host.outbound],
    [InternalClient, internal],
    [OptionStore, options],
    [ReadModels, readModels],
    [ApiDescription, new ApiDescription(definition)],
    [SessionStore, new SessionStore(host.keyValue, (label, text) => host.secrets.hmacs(label, text))],
  ];
  keepOptionsFresh(options, readModels, { host, lifecycle, logger });
  const chassis: Chassis = { bindings, lifecycle, logger, metrics, readModels };
  if (database) {
    const { openServiceDatabase } = await import('./service-database.js');
    chassis.database = await openServiceDatabase(definition, { host, lifecycle, logger, metrics });
    bindings.push(...chassis.database.bindings);
  }
  return chassis;
}

/** Calls services in this process without a socket, all others over HTTP. */
function internalClient(
  name: ServiceDefinition['name'],
  { host, lifecycle, metrics }: Pick<Chassis, 'lifecycle' | 'metrics'> & { host: Host },
): InternalClient {
  const calls = metrics.counter('tollgate_internal_calls_total', 'Calls to services of other processes.', [
    'target',
    'outcome',
  ]);
  const seconds = metrics.histogram('tollgate_internal_call_duration_seconds', 'Time of calls to other processes.', [
    'target',
  ]);
  const pass = new CallPass(host.secrets, name, host.revisions);
  const remote = new HttpInternalClient({
    directory: host.directory,
    pass,
    isPatient: () => lifecycle.starting && !host.stopping.signal.aborted,
    onAnswer: (target, outcome, took) => {
      calls.inc({ target, outcome });
      seconds.observe({ target }, took);
    },
  });
  return new InProcessInternalClient(host.instances, pass, remote);
}

function keepOptionsFresh(
  options: OptionStore,
  readModels: ReadModels,
  { host, lifecycle, logger }: Pick<Chassis, 'lifecycle' | 'logger'> & { host: Host },
): void {
  lifecycle.onReady(async () => {
    if (host.instances.has('identity') || host.directory.has('identity')) await options.refresh();
    else logger.warn('identity does not run here; options stay at their defaults until it answers');
  });
  readModels.follow({
    owner: 'identity',
    topics: ['option-changed'],
    name: 'option',
    revision: () => options.revision,
    catchUp: () => options.poll(),
  });
}
