import { setTimeout as pause } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import { AppError, type Logger } from '@tollgate/chassis';

/** What a connection may access: the schema of one owner, with its role if the database allows roles. */
export interface SchemaAccess {
  schema: string;
  role?: string;
}

/** Errors of a server that is not reachable or not ready yet; waiting does not help with others. */
const NOT_YET = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  '57P03',
  '53300',
]);
const PATIENCE_MS = 15_000;

/**
 * A machine that loses its power closes no connection, and PostgreSQL would keep its session with all locks for two
 * hours. With these settings it gives the peer up after 25 seconds.
 */
const PROBES = [
  '-c tcp_keepalives_idle=10',
  '-c tcp_keepalives_interval=5',
  '-c tcp_keepalives_count=3',
  '-c tcp_user_timeout=20000',
];
/** From here a server that has gone is probed each second after this time. */
const FIRST_PROBE_MS = 10_000;

/**
 * What every connection has in common: both ends notice soon that the other one has gone. The settings of the session
 * are part of the start-up options, so that no statement can run before they are in force; those of the URL override
 * the probes, and `settings` override both.
 */
export function probedConfig(url: string, settings: readonly string[] = []): ClientConfig {
  const parsed = new URL(url);
  const options = [...PROBES, parsed.searchParams.get('options') ?? '', ...settings];
  parsed.searchParams.set('options', options.filter(Boolean).join(' '));
  return {
    connectionString: parsed.toString(),
    keepAlive: true,
    keepAliveInitialDelayMillis: FIRST_PROBE_MS,
  };
}

export const clientConfig = (url: string, { schema, role }: SchemaAccess): ClientConfig => ({
  ...probedConfig(url, [...(role === undefined ? [] : [`-c role=${role}`]), `-c search_path=${schema}`]),
  application_name: `tollgate-${schema}`,
  connectionTimeoutMillis: PATIENCE_MS,
});

/** Host, port and database of a URL, without user and password. */
export function placeOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

/** Connects as the URL's user; waits for a server that is still starting. */
export async function connectPatiently(url: string, log: Logger, patienceMs = PATIENCE_MS): Promise<Client> {
  const deadline = performance.now() + patienceMs;
  for (let attempt = 0; ; attempt += 1) {
    const client = newClient(url);
    client.on('error', (error) => log.warn('lost the connection to the database', { error }));
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      const reason = error as Error & { code?: string };
      const hopeless = !NOT_YET.has(reason.code ?? '') && !/timeout/i.test(reason.message);
      if (hopeless || performance.now() > deadline) throw unreachable(url, reason);
      if (attempt === 0) log.warn(`the database at ${placeOf(url)} does not answer yet, waiting`, { error });
      await pause(500);
    }
  }
}

/** Throws if a file that the URL names, such as `sslrootcert`, cannot be read. */
function newClient(url: string): Client {
  try {
    return new Client({
      ...probedConfig(url),
      application_name: 'tollgate-setup',
      connectionTimeoutMillis: 5_000,
    });
  } catch (error) {
    throw unreachable(url, error as Error);
  }
}

const unreachable = (url: string, error: Error & { code?: string }): AppError =>
  new AppError(
    'unavailable',
    'database-unreachable',
    `No connection to PostgreSQL at ${placeOf(url)}: ${error.message || error.code || 'no answer'}. Check DATABASE_URL and that the server runs, or leave DATABASE_URL empty for the embedded one.`,
    { cause: error },
  );
