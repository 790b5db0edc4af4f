import { randomBytes } from 'node:crypto';
import { mkdir, readFile, realpath, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@tollgate/chassis';
import { claimDataFolder, isAlive } from './data-folder-owner.js';
import { freePort, isFree } from './free-port.js';
import {
  answers,
  createDatabaseOnce,
  endWithProcess,
  initialise,
  requireSameVersion,
  runningServer,
  startServer,
  stopServer,
  urlOf,
  type Cluster,
} from './postgres-cluster.js';
import { choosePlace, nativeDir } from './postgres-place.js';

/*
 * Supervises the PostgreSQL server that runs when no DATABASE_URL is given. The wrapper of the npm package is not used, because its exit
 * hooks stop the server while requests are still being drained. The server is detached, so it survives if its parent is killed, and is then
 * adopted by the next start.
 */

export interface EmbeddedPostgres {
  url: string;
  /** Messages for the operator, for example about copied binaries or a moved cluster. */
  notes: string[];
  /** Pid of the current server process. */
  readonly pid: number;
  stop(): Promise<void>;
}

interface EmbeddedPostgresOptions {
  dataDir: string;
  log: Logger;
  /** For tests: nothing is flushed to disk. */
  throwAway?: boolean;
  /** Folder of an installation with a subfolder `bin`, to use instead of the npm package. */
  installation?: string;
  /** Called when the server died and was restarted under another pid. */
  onRevived?(): void;
}

/** State that a start leaves for the next one, in a file that only its owner can read. */
interface State {
  password: string;
  port: number;
  cluster: string;
}

const DATABASE = 'tollgate';
const WATCH_MS = 1_000;

/** Claims a data folder for this process and starts its PostgreSQL. Throws if another process has the folder. */
export async function startEmbeddedPostgres({
  dataDir,
  log,
  throwAway,
  installation,
  onRevived = () => undefined,
}: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  await mkdir(dataDir, { recursive: true });
  const folder = await realpath(dataDir);
  const release = await claimDataFolder(folder);
  try {
    const state = await readState(folder);
    const { notes, ...place } = await choosePlace(folder, installation ?? (await nativeDir()), state?.cluster);
    const cluster: Cluster = {
      ...place,
      throwAway,
      password: state?.password ?? randomBytes(24).toString('base64url'),
      logFile: join(folder, 'postgres.log'),
    };
    // Written before the cluster is created, so that the password is not lost if this process dies in between.
    const wished = state?.port ?? (await freePort());
    await writeState(folder, { password: cluster.password, port: wished, cluster: cluster.clusterDir });
    if (await initialise(cluster)) log.info(`made a database cluster in ${cluster.clusterDir}`);
    const server = await adoptOrStart(cluster, wished, log);
    await writeState(folder, { password: cluster.password, port: server.port, cluster: cluster.clusterDir });
    await createDatabaseOnce(cluster.password, server.port, DATABASE);
    const stop = supervise({ cluster, server, log, onRevived });
    return {
      url: urlOf(cluster.password, server.port, DATABASE),
      notes,
      get pid() {
        return server.pid;
      },
      stop: async () => {
        await stop();
        await release();
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** The database address of a product that is running on the data folder, for read-only use; undefined if none runs. */
export async function runningEmbeddedPostgres(dataDir: string): Promise<string | undefined> {
  const state = await readState(dataDir).catch(() => undefined);
  const server = state && runningServer(state.cluster);
  if (!state || !server) return undefined;
  const cluster: Cluster = { binDir: '', clusterDir: state.cluster, logFile: '', password: state.password };
  return (await answers(cluster, server.port)) ? urlOf(state.password, server.port, DATABASE) : undefined;
}

interface RunningServer {
  pid: number;
  port: number;
}

/**
 * Adopts a server that outlived its parent. One that does not answer, or refuses the password, is stopped and replaced.
 */
async function adoptOrStart(cluster: Cluster, wished: number, log: Logger): Promise<RunningServer> {
  const left = runningServer(cluster.clusterDir);
  if (left) {
    if (await answers(cluster, left.port)) {
      log.info('adopted the database server of an earlier run', { pid: left.pid });
      endWithProcess(left.pid);
      return left;
    }
    log.warn('stopped a database server of an earlier run that did not answer', { pid: left.pid });
    await stopServer(left.pid);
  }
  await requireSameVersion(cluster);
  return startOnFreePort(cluster, wished, log);
}

async function startOnFreePort(cluster: Cluster, wished: number, log: Logger): Promise<RunningServer> {
  let port = (await isFree(wished)) ? wished : await freePort();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return { pid: await startServer(cluster, port), port };
    } catch (error) {
      // Another process took the port meanwhile, or children of a killed server still hold its shared memory.
      if (attempt === 5) throw error;
      log.warn('the database server did not start, trying again', { error });
      await new Promise((resolve) => setTimeout(resolve, 500 * attempt));
      if (!(await isFree(port))) port = await freePort();
    }
  }
}

interface Supervision {
  cluster: Cluster;
  /** The running server; its pid changes when it is restarted. */
  server: RunningServer;
  log: Logger;
  onRevived(): void;
}

/** Restarts the server on its port when it dies. The returned function ends the supervision and stops the server. */
function supervise({ cluster, server, log, onRevived }: Supervision): () => Promise<void> {
  let stopping = false;
  let reviving: Promise<void> | undefined;
  const revive = async (): Promise<void> => {
    log.error('the database server died, starting it again', { pid: server.pid });
    try {
      server.pid = await startServer(cluster, server.port);
      onRevived();
    } catch (error) {
      log.error('the database server could not be started again, will go on trying', { error });
    }
  };
  const timer = setInterval(() => {
    if (stopping || reviving || isAlive(server.pid)) return;
    reviving = revive().finally(() => (reviving = undefined));
  }, WATCH_MS);
  timer.unref();
  return async () => {
    stopping = true;
    clearInterval(timer);
    await reviving;
    await stopServer(server.pid);
  };
}

const stateFile = (dataDir: string): string => join(dataDir, 'postgres.json');

async function readState(dataDir: string): Promise<State | undefined> {
  try {
    return JSON.parse(await readFile(stateFile(dataDir), 'utf8')) as State;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`${stateFile(dataDir)} cannot be read; it holds the password of the embedded database.`, {
      cause: error,
    });
  }
}

async function writeState(dataDir: string, state: State): Promise<void> {
  const draft = `${stateFile(dataDir)}.draft`;
  await writeFile(draft, JSON.stringify(state, undefined, 2), { mode: 0o600 });
  await rename(draft, stateFile(dataDir));
}
