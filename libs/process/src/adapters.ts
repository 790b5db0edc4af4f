import { allEvents } from '@tollgate/contracts';
import {
  type Env,
  AppError,
  type ColumnStore,
  type EventLog,
  type KeyValue,
  MemoryKeyValue,
  type Logger,
  type ServiceDefinition,
  tryEach,
} from '@tollgate/chassis';
import { unlessStopped } from './unless-stopped.js';

/**
 * The ports whose adapters environment variables choose. By default they use the database and memory. Adapters that a
 * process does not use are not loaded.
 */
export interface Adapters {
  eventLog: EventLog;
  keyValue: KeyValue;
  /** Present if a service of this process stores something there. */
  columnStore: ColumnStore | undefined;
}

interface AdapterContext {
  env: Env;
  /** Empty if nothing in this process uses PostgreSQL. */
  databaseUrl: string;
  logger: Logger;
  definitions: readonly ServiceDefinition[];
  /** Aborted when the process should stop. */
  signal: AbortSignal | undefined;
}

/** Whether anything in this process uses PostgreSQL. */
export const needsDatabase = (definitions: readonly ServiceDefinition[], env: Env): boolean =>
  definitions.some(({ database }) => database) || env.KAFKA_BROKERS === undefined || env.REDIS_URL === undefined;

/**
 * Opens the ports that the environment selects. With Kafka it also carries over events that are left in the database's
 * event log, and marks the database.
 */
export async function openAdapters(context: AdapterContext): Promise<Adapters> {
  const { env, databaseUrl: url, logger: log, signal } = context;
  const eventLog = await eventLogFor(context);
  await unlessStopped(signal, () => eventLog.start(allEvents.map(({ name, partitions }) => ({ name, partitions }))));
  let columnStore: ColumnStore | undefined;
  try {
    // Must happen before a consumer determines the end of the log, and before new events are appended.
    if (env.KAFKA_BROKERS !== undefined && url !== '') {
      const { goOverToKafka } = await import('@tollgate/operations');
      const { TOLLGATE_MIGRATE: migrate } = env;
      await unlessStopped(signal, () => goOverToKafka({ url, target: eventLog, log, migrate }));
    }
    columnStore = await unlessStopped(signal, () => columnStoreFor(context));
    return { eventLog, keyValue: await unlessStopped(signal, () => keyValueFor(context)), columnStore };
  } catch (error) {
    // Must not hide why the start failed.
    await tryEach([() => columnStore?.stop(), () => eventLog.stop()]).catch((failure: unknown) =>
      log.warn('what was opened could not be closed', { error: failure }),
    );
    throw error;
  }
}

async function eventLogFor({ env, databaseUrl: url, logger: log }: AdapterContext): Promise<EventLog> {
  if (env.KAFKA_BROKERS === undefined) {
    const { TableEventLog } = await import('@tollgate/database');
    return new TableEventLog({ url, log, migrate: env.TOLLGATE_MIGRATE });
  }
  const { kafkaEventLog } = await import('@tollgate/adapters');
  return kafkaEventLog({ ...env, KAFKA_BROKERS: env.KAFKA_BROKERS }, log);
}

async function keyValueFor({ env, databaseUrl, logger: log }: AdapterContext): Promise<KeyValue> {
  if (env.REDIS_URL === undefined) {
    const { durableKeyValue } = await import('@tollgate/database');
    return durableKeyValue(new MemoryKeyValue(), databaseUrl, log, { migrate: env.TOLLGATE_MIGRATE });
  }
  const { RedisKeyValue } = await import('@tollgate/adapters');
  const redis = new RedisKeyValue({ url: env.REDIS_URL, log, caFile: env.REDIS_CA_FILE });
  try {
    await redis.start();
    if (databaseUrl !== '') {
      const { carrySessions } = await import('@tollgate/operations');
      await carrySessions({ url: databaseUrl, target: redis, log });
    }
    return redis;
  } catch (error) {
    await redis.stop();
    throw error;
  }
}

async function columnStoreFor({ env, definitions }: AdapterContext): Promise<ColumnStore | undefined> {
  if (env.TOLLGATE_LOG_STORE !== 'clickhouse' || !definitions.some(({ name }) => name === 'logging')) return undefined;
  const { openClickhouse } = await import('@tollgate/adapters');
  return openClickhouse(env);
}

/** Variables that a process needs when other services run in other processes: none of them has a usable default. */
const REQUIRED = {
  DATABASE_URL: 'the PostgreSQL server all services share, e.g. postgres://user:password@host:5432/tollgate',
  REDIS_URL: 'the Redis server all replicas share, e.g. redis://host:6379',
  KAFKA_BROKERS: 'the brokers that carry events between services, e.g. host:9092',
  TOLLGATE_SECRET_KEY: 'the same text of at least 32 characters in every process',
  TOLLGATE_SERVICES:
    'where the other services are, e.g. identity=http://host:4001,billing=http://one:4002|http://two:4002',
} as const;

/**
 * Throws if a separate service lacks servers to share, because it would otherwise run on an empty database, or on
 * events that no other service reads.
 */
export function requireDistributed(definitions: readonly ServiceDefinition[], env: Env): void {
  const needed = (Object.keys(REQUIRED) as (keyof typeof REQUIRED)[]).filter(
    (name) => name !== 'DATABASE_URL' || definitions.some(({ database }) => database),
  );
  const missing = needed.filter((name) => env[name] === undefined || env[name] === '');
  if (missing.length === 0) return;
  const names = definitions.map(({ name }) => name).join(', ');
  const lines = missing.map((name) => `  ${name}: ${REQUIRED[name]}`);
  throw new AppError(
    'unavailable',
    'environment-incomplete',
    `${names} runs on its own here and needs to be told:\n${lines.join('\n')}\nSet them, or run everything in one process with \`npm start\`.`,
  );
}
