import { setTimeout as pause } from 'node:timers/promises';
import { allRoutes } from '@tollgate/contracts';
import {
  addressError,
  type Env,
  inSources,
  readEnv,
  type ServiceDefinition,
  type Listener,
  listen,
  nameSourcesInUncaughtErrors,
  openProbePort,
  type ProbePort,
  requirePorts,
} from '@tollgate/chassis';
import { requireDistributed } from './adapters.js';
import { giveBackMemory } from './give-back.js';
import { type RunningProcess, startProcess } from './process.js';
import type { RunningService } from './start-service.js';

const SAME_WISH_MS = 1000;
/**
 * Seconds for which an idle connection is kept while the process drains, because common clients reuse connections for
 * that long (Node's for four seconds).
 */
const IDLE_SECONDS = 5;
/** Milliseconds that events, leases, spool and connections may take to end after the last request. */
const LAST_WORK_MS = 30_000;

interface RunOptions {
  /** The service whose application listens on the port. */
  front: string;
  /** Called once the port is open, to print notes to a person at a terminal; without it the notes are logged. */
  onListening?(process: RunningProcess, port: number): void;
}

/** A process that accepts requests. */
interface Opened {
  running: RunningProcess;
  listener: Listener;
  probes?: ProbePort;
}

/**
 * Whether the process contains all services. These call each other without sockets; a process with fewer needs servers
 * and addresses.
 */
const isWhole = (definitions: readonly ServiceDefinition[]): boolean =>
  allRoutes.every(({ owner }) => definitions.some(({ name }) => name === owner));

/**
 * Runs a process from reading its environment to its exit code. The first SIGTERM, SIGINT or SIGHUP (closed terminal)
 * drains it: it reports not ready, accepts no new connections, finishes open requests, then stops events and duties,
 * and the embedded database last. A second signal exits at once and only asks the embedded database to stop; the next
 * start recovers.
 */
export async function runProcess(definitions: readonly ServiceDefinition[], options: RunOptions): Promise<void> {
  nameSourcesInUncaughtErrors();
  let firstSignalAt: number | undefined;
  let stop: (() => Promise<void>) | undefined;
  const wishToStop = new AbortController();
  const onSignal = (): void => {
    const now = performance.now();
    // A supervisor that signals the whole process group reaches this process twice, directly and through its parent;
    // that counts as one signal.
    if (firstSignalAt !== undefined && now - firstSignalAt > SAME_WISH_MS) process.exit(1);
    if (firstSignalAt !== undefined) return;
    firstSignalAt = now;
    wishToStop.abort();
    if (stop) void stop().then(() => process.exit(0), fail);
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, onSignal);
  // The parent process has died and can no longer send a signal.
  process.once('disconnect', () => firstSignalAt === undefined && onSignal());
  process.channel?.unref();
  try {
    const env = readEnv();
    if (!isWhole(definitions)) requireDistributed(definitions, env);
    await requirePorts(env);
    const opened = await open(definitions, options, { env, signal: wishToStop.signal });
    const { running, listener } = opened;
    stop = () => inTime(drain(opened, env), env, running);
    if (firstSignalAt !== undefined) {
      await stop();
      process.exit(0);
    }
    giveBackMemory(running.services.has('relay') ? 'regular' : 'last-resort');
    running.host.logger.info(`${options.front} is ready`, { port: listener.port });
    if (options.onListening) options.onListening(running, listener.port);
    else for (const note of running.host.notes) running.host.logger.warn(note);
  } catch (error) {
    if (wishToStop.signal.aborted) process.exit(0);
    fail(error);
  }
}

/**
 * Whether other processes may need answers of this one before they are ready; no process needs those of the gateway.
 */
const answersOthers = (definitions: readonly ServiceDefinition[]): boolean =>
  !isWhole(definitions) && definitions.some(({ name }) => name !== 'gateway');

/** Opens the port when all services are ready, or earlier if other processes wait for answers. */
async function open(
  definitions: readonly ServiceDefinition[],
  { front }: RunOptions,
  { env, signal }: { env: Env; signal: AbortSignal },
): Promise<Opened> {
  const frontOf = ({ services }: RunningProcess): RunningService => {
    const service = services.get(front);
    if (!service) throw new Error(`No service "${front}" in this process.`);
    return service;
  };
  const openPort = async (process: RunningProcess): Promise<Listener> => {
    const { app, isReady } = frontOf(process);
    return listen(app, env.HOST, env.PORT, isReady).catch((error: unknown) => {
      throw addressError(error, env.HOST, { PORT: env.PORT });
    });
  };
  let early: Listener | undefined;
  const onInitialised = async (initialised: RunningProcess): Promise<void> => {
    if (answersOthers(definitions)) early = await openPort(initialised);
  };
  const running = await startProcess(definitions, env, { signal, onInitialised });
  try {
    const listener = early ?? (await openPort(running));
    if (isWhole(definitions) && env.TOLLGATE_ADDRESS === undefined)
      running.host.address = `http://localhost:${listener.port}`;
    const { TOLLGATE_METRICS_PORT: port } = env;
    if (port === undefined) return { running, listener };
    const probes = await openProbePort(frontOf(running).app, env.HOST, port).catch((error: unknown) => {
      throw addressError(error, env.HOST, { TOLLGATE_METRICS_PORT: port });
    });
    return { running, listener, probes };
  } catch (error) {
    await running.stop();
    throw error;
  }
}

/**
 * Exits if draining takes too long. Unfinished work is in spool, outbox and event log, where the next start finds it.
 */
async function inTime(drained: Promise<void>, env: Env, { host }: RunningProcess): Promise<void> {
  const ms = (env.TOLLGATE_NOTICE_SECONDS + env.TOLLGATE_DRAIN_SECONDS) * 1000 + LAST_WORK_MS;
  const late = setTimeout(() => {
    host.logger.error('could not stop in time, ending all the same', { ms });
    process.exit(1);
  }, ms);
  await drained.finally(() => clearTimeout(late));
}

async function drain({ running, listener, probes }: Opened, env: Env): Promise<void> {
  const { host, services, stop } = running;
  for (const service of services.values()) service.leave();
  listener.leave();
  // A single process has no other replica that could take over requests.
  const isOneOfMany = env.KAFKA_BROKERS !== undefined;
  if (isOneOfMany) await pause(env.TOLLGATE_NOTICE_SECONDS * 1000);
  const idleSeconds = isOneOfMany ? Math.max(0, IDLE_SECONDS - env.TOLLGATE_NOTICE_SECONDS) : 0;
  const cut = await listener.drain(env.TOLLGATE_DRAIN_SECONDS, idleSeconds);
  if (cut > 0) host.logger.warn('requests were cut when the drain time was over', { cut });
  await stop();
  await probes?.close();
}

function fail(error: unknown): void {
  process.stderr.write(`Tollgate could not go on: ${error instanceof Error ? error.message : String(error)}\n`);
  if (process.env.LOG_LEVEL === 'debug' && error instanceof Error)
    process.stderr.write(`${inSources(error.stack ?? '')}\n`);
  process.exit(1);
}
