import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Env,
  folderError,
  SecretBox,
  otherSecrets,
  secretKeyFor,
  parseServices,
  ServiceDirectory,
  Logger,
  parseAllowance,
  OutboundClient,
  type ServiceDefinition,
  Host,
  startTracing,
  productVersion,
  tryEach,
} from '@tollgate/chassis';
import type { startEmbeddedPostgres } from '@tollgate/embedded';
import { type Adapters, needsDatabase, openAdapters } from './adapters.js';
import type { DemonstrationProvider } from './demonstration/demonstration-provider.js';
import { isDemonstrationOn } from './demonstration/is-on.js';
import { type RunningService, startService } from './start-service.js';
import { unlessStopped } from './unless-stopped.js';

export interface RunningProcess {
  host: Host;
  services: ReadonlyMap<string, RunningService>;
  /**
   * Drains and stops all services in reverse order, then what they share, and the embedded database last. Safe to call
   * twice.
   */
  stop(): Promise<void>;
}

interface StartOptions {
  /** Aborted when the process should stop; a start that waits for a server or for other services then gives up. */
  signal?: AbortSignal;
  /** Called when all services can answer calls of other services, which they need before they become ready. */
  onInitialised?(process: RunningProcess): Promise<void>;
}

interface Shared {
  host: Host;
  stop(): Promise<void>;
}

/** Starts services in one process: first what they share, then each service, and then their work. */
export async function startProcess(
  definitions: readonly ServiceDefinition[],
  env: Env,
  { signal, onInitialised }: StartOptions = {},
): Promise<RunningProcess> {
  const shared = await startShared(definitions, env, signal);
  const { host } = shared;
  signal?.addEventListener('abort', () => host.stopping.abort());
  if (signal?.aborted) host.stopping.abort();
  const services = new Map<string, RunningService>();
  let stopping: Promise<void> | undefined;
  const process = { host, services, stop: () => (stopping ??= stopAll(shared, services)) };
  try {
    for (const definition of definitions)
      services.set(definition.name, await unlessStopped(signal, () => startService(definition, host)));
    await onInitialised?.(process);
    for (const service of services.values()) await unlessStopped(signal, () => service.ready());
  } catch (error) {
    if (!signal?.aborted) host.logger.error('could not start, ending', { error });
    // A service that hangs must not keep the process from exiting; the supervisor restarts it.
    await Promise.race([process.stop(), pause(LAST_CALLS_MS * 3, undefined, { ref: false })]);
    throw error;
  }
  return process;
}

/** How long calls to other hosts, such as channel tests, may continue after the last request has ended. */
const LAST_CALLS_MS = 3_000;

/**
 * Stops all services. One that fails to stop, for example because a server is down, must not keep the others from
 * stopping.
 */
async function stopAll(shared: Shared, services: ReadonlyMap<string, RunningService>): Promise<void> {
  const failures: unknown[] = [];
  shared.host.stopping.abort();
  const cut = setTimeout(() => void shared.host.outbound.cut(), LAST_CALLS_MS);
  for (const [name, service] of [...services].reverse()) {
    await service.stop().catch((error: unknown) => {
      shared.host.logger.error(`${name} could not finish everything before its end`, { error });
      failures.push(error);
    });
  }
  await shared.stop().catch((error: unknown) => {
    shared.host.logger.error('what the services share could not all be stopped', { error });
    failures.push(error);
  });
  clearTimeout(cut);
  if (failures.length > 0) throw new AggregateError(failures, 'the process stopped, but not everything was finished');
}

/** A process with a single service has the service's name in traces. */
const traceNameOf = ([first, second]: readonly ServiceDefinition[]): string =>
  first && !second ? `tollgate-${first.name}` : 'tollgate';

/** Imported only when needed, like everything that a process can do without. */
async function embeddedPostgres(dataDir: string, log: Logger): ReturnType<typeof startEmbeddedPostgres> {
  const { startEmbeddedPostgres } = await import('@tollgate/embedded');
  return startEmbeddedPostgres({ dataDir, log });
}

/** Services that call providers: the relay for users, the channel service for tests. */
const CALLERS = ['relay', 'channel'];

async function demonstrationFor(
  definitions: readonly ServiceDefinition[],
  env: Env,
): Promise<Omit<DemonstrationProvider, 'port'> & { port?: number }> {
  const isCaller = definitions.some(({ name }) => CALLERS.includes(name));
  if (!isCaller || !isDemonstrationOn(env, process.env.NODE_ENV)) return { close: () => Promise.resolve() };
  const { startDemonstrationProvider } = await import('./demonstration/demonstration-provider.js');
  return startDemonstrationProvider();
}

/** What the services of a process share, as far as it is open. */
interface Opened {
  embedded?: Awaited<ReturnType<typeof embeddedPostgres>>;
  adapters?: Adapters;
  demonstration?: Awaited<ReturnType<typeof demonstrationFor>>;
  outbound?: OutboundClient;
  directory?: ServiceDirectory;
  tracing?: Awaited<ReturnType<typeof startTracing>>;
  stopListening?: () => Promise<void>;
}

async function startShared(
  definitions: readonly ServiceDefinition[],
  env: Env,
  signal: AbortSignal | undefined,
): Promise<Shared> {
  const logger = Logger.root(env.LOG_LEVEL);
  const opened: Opened = {};
  try {
    const host = await openShared(definitions, { env, logger, signal }, opened);
    return { host, stop: () => stopShared(opened, logger) };
  } catch (error) {
    // Must not hide why the start failed.
    await stopShared(opened, logger).catch((failure: unknown) =>
      logger.error('what had been started could not be stopped', { error: failure }),
    );
    throw error;
  }
}

function openDataFolder(env: Env): { dataDir: string } & ReturnType<typeof secretKeyFor> {
  const dataDir = resolve(env.TOLLGATE_DATA_DIR);
  try {
    mkdirSync(dataDir, { recursive: true });
    return { dataDir, ...secretKeyFor(env.TOLLGATE_SECRET_KEY, dataDir) };
  } catch (error) {
    throw folderError(dataDir, error);
  }
}

async function openShared(
  definitions: readonly ServiceDefinition[],
  { env, logger, signal }: { env: Env; logger: Logger; signal: AbortSignal | undefined },
  opened: Opened,
): Promise<Host> {
  const { dataDir, secret, file } = openDataFolder(env);
  const notes: string[] = [];
  if (file !== undefined) notes.push(`secret key: ${file} (keep a copy: without it stored secrets cannot be read)`);

  const usesDatabase = needsDatabase(definitions, env);
  if (env.DATABASE_URL === undefined && usesDatabase) opened.embedded = await embeddedPostgres(dataDir, logger);
  notes.push(...(opened.embedded?.notes ?? []));
  const databaseUrl = env.DATABASE_URL ?? opened.embedded?.url ?? '';
  const secrets = new SecretBox(secret, otherSecrets(env));
  const adapters = await openAdapters({
    env,
    databaseUrl: usesDatabase ? databaseUrl : '',
    logger,
    definitions,
    signal,
  });
  opened.adapters = adapters;
  opened.demonstration = await demonstrationFor(definitions, env);
  const outbound = new OutboundClient(parseAllowance(env.TOLLGATE_OUTBOUND_ALLOW), opened.demonstration.port);
  opened.outbound = outbound;
  opened.tracing = await startTracing(env, traceNameOf(definitions), productVersion);
  const directory = new ServiceDirectory(parseServices(env.TOLLGATE_SERVICES), logger);
  opened.directory = directory;
  const parts = { env, logger, secrets, ...adapters, outbound, directory, dataDir, databaseUrl };
  const host: Host = Object.assign(new SharedHost(), parts);
  if (env.TOLLGATE_ADDRESS !== undefined) host.address = env.TOLLGATE_ADDRESS.replace(/\/+$/, '');
  host.notes.push(...notes);
  opened.stopListening = await host.revisions.listen(adapters.keyValue);
  return host;
}

/** Stops what is open, whichever of it fails to stop: no other process stops a database that this one started. */
function stopShared(opened: Opened, logger: Logger): Promise<void> {
  const { adapters, directory, outbound, demonstration, tracing, embedded } = opened;
  return tryEach([
    () => opened.stopListening?.(),
    () => adapters?.eventLog.stop(),
    () => adapters?.keyValue.stop(),
    () => adapters?.columnStore?.stop(),
    () => directory?.close(),
    () => outbound?.cut(),
    () => demonstration?.close(),
    () => tracing?.stop().catch((error: unknown) => logger.warn('the last spans were not taken', { error })),
    () => embedded?.stop(),
  ]);
}

/** Filled by `startShared`. It is a class only because `Host` also serves as the injection token. */
class SharedHost extends Host {
  declare env: Host['env'];
  declare logger: Host['logger'];
  declare secrets: Host['secrets'];
  declare keyValue: Host['keyValue'];
  declare eventLog: Host['eventLog'];
  declare columnStore: Host['columnStore'];
  declare outbound: Host['outbound'];
  declare directory: Host['directory'];
  declare dataDir: Host['dataDir'];
  declare databaseUrl: Host['databaseUrl'];
}
