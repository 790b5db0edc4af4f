import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Env, Logger, readEnv } from '@tollgate/chassis';
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
 * in use.
 */
export async function withInstallation<Outcome>(
  work: (installation: Installation) => Promise<Outcome>,
): Promise<Outcome> {
  const env = readEnv();
  const log = Logger.root(env.LOG_LEVEL === 'info' ? 'warn' : env.LOG_LEVEL);
  const dataDir = resolve(env.TOLLGATE_DATA_DIR);
  if (env.DATABASE_URL !== undefined) return work({ env, dataDir, log, databaseUrl: env.DATABASE_URL });
  mkdirSync(dataDir, { recursive: true });
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
