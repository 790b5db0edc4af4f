import { execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { isAlive } from './data-folder-owner.js';
import { handOver, type SystemUser } from './postgres-place.js';

const run = promisify(execFile);

/** A cluster on disk and the server that may run on it. */
export interface Cluster {
  binDir: string;
  clusterDir: string;
  logFile: string;
  password: string;
  user?: SystemUser;
  /** For tests: nothing is flushed to disk. */
  throwAway?: boolean;
}

const START_DEADLINE_MS = 60_000;
const FAST_STOP_MS = 20_000;
const IMMEDIATE_STOP_MS = 5_000;

/**
 * Environment of PostgreSQL's programs: fixed, so that the server does not depend on the machine's locale and time
 * zone.
 */
const environment = (): NodeJS.ProcessEnv => ({ PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' });

/**
 * Creates the cluster unless it exists. An interrupted attempt leaves a draft folder, which the next attempt removes.
 */
export async function initialise({ binDir, clusterDir, password, user, throwAway }: Cluster): Promise<boolean> {
  if (existsSync(join(clusterDir, 'PG_VERSION'))) return false;
  const draft = `${clusterDir}.draft`;
  const passwordFile = `${clusterDir}.password`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true, mode: 0o700 });
  await handOver(draft, user);
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  await handOver(passwordFile, user);
  const locale = process.platform === 'linux' ? 'C.UTF-8' : 'C';
  const flags = [
    '-U',
    'postgres',
    '-A',
    'scram-sha-256',
    '-E',
    'UTF8',
    `--locale=${locale}`,
    `--pwfile=${passwordFile}`,
    ...(throwAway ? ['--no-sync'] : []),
  ];
  try {
    await run(join(binDir, 'initdb'), ['-D', draft, ...flags], { ...user, cwd: '/', env: environment() });
  } catch (error) {
    throw notMade(clusterDir, error as Error & { stderr?: string });
  } finally {
    await rm(passwordFile, { force: true });
  }
  await rename(draft, clusterDir);
  return true;
}

/** Its message is one line; `initdb` prints its reason among others. */
function notMade(clusterDir: string, cause: Error & { stderr?: string }): Error {
  const lines = (cause.stderr || cause.message).split('\n');
  const reason = lines.find((line) => /(?:FATAL|error): /.test(line)) ?? lines[0];
  return new Error(
    `The embedded database cannot be made in ${clusterDir}: ${reason}. Make room there, set TOLLGATE_DATA_DIR to another folder, or set DATABASE_URL.`,
    { cause },
  );
}

/** Throws if the cluster belongs to another major version of PostgreSQL, with a clearer message than the server's. */
export async function requireSameVersion({ binDir, clusterDir, user }: Cluster): Promise<void> {
  const { stdout } = await run(join(binDir, 'postgres'), ['--version'], { ...user, cwd: '/', env: environment() });
  const ours = /(\d+)/.exec(stdout)?.[1];
  const theirs = (await readFile(join(clusterDir, 'PG_VERSION'), 'utf8')).trim();
  if (ours !== theirs) {
    throw new Error(
      `The embedded database in ${clusterDir} was written by PostgreSQL ${theirs}, and this version of Tollgate brings ${ours}. Dump it with the old version, or set DATABASE_URL.`,
    );
  }
}

/** Pid and port of the server that is running on this cluster, from its lock file. */
export function runningServer(clusterDir: string): { pid: number; port: number } | undefined {
  let lines: string[];
  try {
    lines = readFileSync(join(clusterDir, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return undefined;
  }
  const pid = Number(lines[0]);
  if (!(pid > 0) || !isAlive(pid) || !servesCluster(pid, clusterDir)) return undefined;
  return { pid, port: Number(lines[3]) };
}

/**
 * Whether a process is the server of this cluster: after a crash of the machine the pid in the lock file may belong to
 * any process.
 */
function servesCluster(pid: number, clusterDir: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(clusterDir);
  } catch {
    return process.platform !== 'linux';
  }
}

export const urlOf = (password: string, port: number, database: string): string =>
  `postgresql://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;

const ending = new Set<number>();

/**
 * Makes the server stop when this process exits, unless it is killed. The server is detached and would otherwise keep
 * running; a process that is forced to exit has no time to wait for it.
 */
export function endWithProcess(pid: number | undefined): void {
  if (pid === undefined) return;
  if (ending.size === 0) process.prependOnceListener('exit', stopEnding);
  ending.add(pid);
}

function forget(pid: number | undefined): void {
  if (pid !== undefined && ending.delete(pid) && ending.size === 0) process.off('exit', stopEnding);
}

function stopEnding(): void {
  for (const pid of ending) if (isAlive(pid)) process.kill(pid, 'SIGINT');
}

/**
 * Starts the server and waits until it accepts connections. It is detached, so that signals to this process group do
 * not reach it.
 */
export async function startServer(cluster: Cluster, port: number): Promise<number> {
  const { binDir, clusterDir, logFile, user, throwAway } = cluster;
  // A lock file of a process that is gone, or whose pid was reused, would keep the server from starting.
  if (!runningServer(clusterDir)) await rm(join(clusterDir, 'postmaster.pid'), { force: true });
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    'timezone=UTC',
    'log_timezone=UTC',
  ];
  if (throwAway) settings.push('fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=400');
  const log = await open(logFile, 'w', 0o600);
  const child = spawn(
    join(binDir, 'postgres'),
    ['-D', clusterDir, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    {
      ...user,
      cwd: '/',
      env: environment(),
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    },
  );
  let failure: Error | undefined;
  child.once('error', (error) => (failure = error));
  child.once('exit', (code, signal) => (failure ??= new Error(`PostgreSQL ended at once (${signal ?? code})`)));
  child.unref();
  endWithProcess(child.pid);
  await log.close();
  try {
    const deadline = performance.now() + START_DEADLINE_MS;
    while (!failure && performance.now() < deadline) {
      if (await answers(cluster, port)) return child.pid ?? 0;
      await pause(20);
    }
    throw new Error(
      `The embedded PostgreSQL did not start: ${failure?.message ?? 'no answer'}. ${await tailOf(logFile)}`,
      { cause: failure },
    );
  } catch (error) {
    if (child.pid !== undefined && isAlive(child.pid)) process.kill(child.pid, 'SIGQUIT');
    forget(child.pid);
    throw error;
  }
}

/** Whether the server on the port is the one of this cluster; another program may have taken the port. */
export async function answers({ password, clusterDir }: Cluster, port: number): Promise<boolean> {
  const client = new Client({ connectionString: urlOf(password, port, 'postgres'), connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ data_directory: string }>('show data_directory');
    return rows[0]?.data_directory === clusterDir;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

const tailOf = async (logFile: string): Promise<string> =>
  (await readFile(logFile, 'utf8').catch(() => '')).trim().split('\n').slice(-5).join(' | ');

/**
 * Shuts the server down: first fast, which ends sessions and writes a checkpoint, and immediately when that takes too
 * long.
 */
export async function stopServer(pid: number): Promise<void> {
  for (const [signal, patienceMs] of [
    ['SIGINT', FAST_STOP_MS],
    ['SIGQUIT', IMMEDIATE_STOP_MS],
    ['SIGKILL', IMMEDIATE_STOP_MS],
  ] as const) {
    if (!isAlive(pid)) break;
    process.kill(pid, signal);
    const deadline = performance.now() + patienceMs;
    while (isAlive(pid) && performance.now() < deadline) await pause(20);
  }
  forget(pid);
}

/** Creates the database unless it exists. */
export async function createDatabaseOnce(password: string, port: number, database: string): Promise<void> {
  const client = new Client({ connectionString: urlOf(password, port, 'postgres') });
  await client.connect();
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [database]);
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(database)}`);
  } finally {
    await client.end();
  }
}
