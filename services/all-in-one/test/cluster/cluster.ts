import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceName } from '@tollgate/contracts';
import { isAlive } from '@tollgate/embedded';
import { createDatabase } from '@tollgate/testing';
import { Client } from 'pg';

/** The format that `npm run cluster` writes. */
interface RunFile {
  url: string;
  ready: boolean;
  servers: { name: string; address: string; origin: 'environment' | 'started here'; pid?: number }[];
  processes: { name: string; service: string; port: number; probePort: number; pid?: number; log: string }[];
}

export interface Cluster {
  url: string;
  databaseUrl: string;
  dataDir: string;
  /** The current processes; the pid changes when a process is restarted. */
  run(): RunFile;
  /** Resolves to the exit code of the supervisor after a full drain. */
  stop(): Promise<number | null>;
  close(): Promise<void>;
}

/** Waits until the replica that replaces `pid` is ready. */
export async function untilReplaced({ run }: Cluster, name: string, pid: number): Promise<void> {
  const deadline = performance.now() + REPLACED_MS;
  for (;;) {
    const replica = run().processes.find((one) => one.name === name);
    const isNew = replica?.pid !== undefined && replica.pid !== pid;
    const ready =
      isNew &&
      (await fetch(`http://127.0.0.1:${replica.probePort}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ));
    if (ready) return;
    if (performance.now() > deadline) throw new Error(`${name} did not come back`);
    await pause(100);
  }
}

/** Changes rows directly in a service's database, to produce a state that would otherwise take hours. */
export async function runOnCluster({ databaseUrl }: Cluster, service: ServiceName, sql: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`set search_path to "${service}"; ${sql}`);
  } finally {
    await client.end();
  }
}

/** Waits until none of the processes exists; fails when one does not end. */
export async function untilEnded(...pids: readonly number[]): Promise<void> {
  const deadline = performance.now() + ENDED_MS;
  for (;;) {
    const left = pids.filter(isAlive);
    if (left.length === 0) return;
    if (performance.now() > deadline) throw new Error(`still there: process ${left.join(', ')}`);
    // A supervisor replaces a dead process after half a second, and some tests act before that.
    await pause(5);
  }
}

const ROOT = resolve(import.meta.dirname, '../../../..');
/** The compiled product. */
export const DIST = join(ROOT, 'dist');
const SUPERVISOR = join(DIST, 'tools/cluster.js');
const READY_MS = 180_000;
const REPLACED_MS = 120_000;
const ENDED_MS = 30_000;

/** The URL of the database that the supervisor has started, read from its state file. */
function ownDatabase(dataDir: string): string {
  const { password, port } = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8')) as {
    password: string;
    port: number;
  };
  return `postgresql://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/tollgate`;
}

/**
 * Starts the product as separate processes, by the command of the README, with a data folder of its own. The database
 * is one of its own too, unless the environment names another; if that is empty, the cluster starts a server.
 */
export async function startCluster(
  environment: Record<string, string> = {},
  supervisor: string = SUPERVISOR,
): Promise<Cluster> {
  if (!existsSync(supervisor)) throw new Error(`${supervisor} is missing: \`npm run build\` makes it.`);
  const database = environment.DATABASE_URL === undefined ? await createDatabase() : undefined;
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-cluster-'));
  // The database server runs as another user and must be able to read the folder.
  chmodSync(dataDir, 0o755);
  const env = {
    ...process.env,
    PORT: '0',
    HOST: '127.0.0.1',
    ...(database && { DATABASE_URL: database.url }),
    TOLLGATE_DATA_DIR: dataDir,
    TOLLGATE_TOPIC_PREFIX: `test-${randomUUID().slice(0, 8)}.`,
    TOLLGATE_RATE_LIMITS: 'off',
    ...(process.env.TEST_REDIS_URL && { REDIS_URL: process.env.TEST_REDIS_URL }),
    ...(process.env.TEST_KAFKA_BROKERS && { KAFKA_BROKERS: process.env.TEST_KAFKA_BROKERS }),
    ...environment,
  };
  // The IPC channel closes when this process dies, and the cluster then drains.
  const child = spawn(process.execPath, [supervisor], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const said = wordsOf(child);
  const ended = new Promise<number | null>((done) => child.once('exit', done));
  const run = (): RunFile => JSON.parse(readFileSync(join(dataDir, 'run.json'), 'utf8')) as RunFile;
  const stop = async (): Promise<number | null> => {
    child.kill('SIGTERM');
    return ended;
  };
  const close = async (): Promise<void> => {
    if (child.exitCode === null) await stop();
    await database?.drop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    await untilReady(child, run, said);
    return {
      url: run().url,
      databaseUrl: database?.url ?? (environment.DATABASE_URL || ownDatabase(dataDir)),
      dataDir,
      run,
      stop,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Collects the output from now on, chunk by chunk. */
function wordsOf({ stdout, stderr }: ChildProcess): readonly string[] {
  const said: string[] = [];
  for (const stream of [stdout, stderr]) stream?.on('data', (chunk: Buffer) => said.push(chunk.toString()));
  return said;
}

async function untilReady(child: ChildProcess, run: () => RunFile, said: readonly string[]): Promise<void> {
  const deadline = performance.now() + READY_MS;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the cluster ended: ${said.join('')}`);
    if (performance.now() > deadline) throw new Error(`the cluster is not ready: ${said.join('')}`);
    try {
      if (run().ready) return;
    } catch {
      // The file does not exist yet.
    }
    await pause(200);
  }
}
