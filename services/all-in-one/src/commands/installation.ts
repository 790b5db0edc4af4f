import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AppError, type Env, Logger, readEnv } from '@tollgate/chassis';
import { connectPatiently, requireNotOnKafka } from '@tollgate/database';
import { runningEmbeddedPostgres, startEmbeddedPostgres } from '@tollgate/embedded';

/** The installation that a command works on, as configured by the environment. */
export interface Installation {
  env: Env;
  dataDir: string;
  databaseUrl: string;
  log: Logger;
}

export const say = (line: string): void => void process.stdout.write(`${line}\n`);

/**
 * Starts the embedded database for the duration of `work` if no other one is configured. Throws when the data folder is
 * in use, and `database-missing` when it has no database, unless the work may make one: a folder that was named wrongly
 * must not become an empty installation.
 */
export async function withInstallation<Outcome>(
  work: (installation: Installation) => Promise<Outcome>,
  { mayCreate = false }: { mayCreate?: boolean } = {},
): Promise<Outcome> {
  const env = readEnv();
  const log = Logger.root(env.LOG_LEVEL === 'info' ? 'warn' : env.LOG_LEVEL);
  const dataDir = resolve(env.TOLLGATE_DATA_DIR);
  if (env.DATABASE_URL !== undefined) return work({ env, dataDir, log, databaseUrl: env.DATABASE_URL });
  if (mayCreate) mkdirSync(dataDir, { recursive: true });
  else if (!existsSync(join(dataDir, 'postgres.json')))
    throw new AppError(
      'not-found',
      'database-missing',
      `There is no database in the data folder ${dataDir}. Set TOLLGATE_DATA_DIR or DATABASE_URL as for the processes of the product.`,
    );
  const embedded = await startEmbeddedPostgres({ dataDir, log });
  try {
    return await work({ env, dataDir, log, databaseUrl: embedded.url });
  } finally {
    await embedded.stop();
  }
}

/**
 * For work that is safe while the product is running, also on its embedded database: it only reads, or makes changes
 * that running processes learn of.
 */
export async function besideInstallation<Outcome>(
  work: (installation: Installation) => Promise<Outcome>,
): Promise<Outcome> {
  const env = readEnv();
  const dataDir = resolve(env.TOLLGATE_DATA_DIR);
  const databaseUrl = env.DATABASE_URL ?? (await runningEmbeddedPostgres(dataDir));
  if (databaseUrl === undefined) return withInstallation(work);
  const log = Logger.root(env.LOG_LEVEL === 'info' ? 'warn' : env.LOG_LEVEL);
  return work({ env, dataDir, log, databaseUrl });
}

/** For work on the event log alone. With Kafka, no database is needed. */
export async function withEventLog<Outcome>(
  work: (installation: Installation) => Promise<Outcome>,
  otherwise: typeof withInstallation<Outcome>,
): Promise<Outcome> {
  const env = readEnv();
  if (env.KAFKA_BROKERS === undefined) return otherwise(work);
  const log = Logger.root(env.LOG_LEVEL === 'info' ? 'warn' : env.LOG_LEVEL);
  return work({ env, dataDir: resolve(env.TOLLGATE_DATA_DIR), log, databaseUrl: env.DATABASE_URL ?? '' });
}

/** Throws `events-on-kafka` where the command would look for events in the database, and they are in Kafka. */
export async function requireEventsFound({ env, databaseUrl, log }: Installation): Promise<void> {
  if (env.KAFKA_BROKERS !== undefined) return;
  const client = await connectPatiently(databaseUrl, log);
  try {
    await requireNotOnKafka(client);
  } finally {
    await client.end();
  }
}
