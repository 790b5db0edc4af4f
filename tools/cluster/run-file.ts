import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { isAlive } from '@tollgate/embedded';
import type { ServerPlace } from './servers.js';

/** The contents of `data/run.json`: which processes run, for people and for tests that stop a process by its pid. */
interface RunFile {
  url: string;
  supervisor: number;
  /** True when every process is ready. */
  ready: boolean;
  servers: ServerPlace[];
  /**
   * `probePort` answers health and metrics of this process alone; `port` of a gateway is shared by all its replicas.
   */
  processes: {
    name: string;
    service: string;
    port: number;
    probePort: number;
    pid?: number;
    log: string;
    main: string;
  }[];
}

const PATIENCE_MS = 40_000;

export function writeRunFile(path: string, run: RunFile): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(run, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

export const removeRunFile = (path: string): void => rmSync(path, { force: true });

/**
 * Ends processes that a killed supervisor left running, and returns how many there were. Throws if the supervisor is
 * alive.
 */
export async function endEarlierRun(path: string): Promise<number> {
  const run = readRunFile(path);
  if (!run) return 0;
  if (run.supervisor !== process.pid && runs(run.supervisor, 'cluster.js')) {
    throw new Error(`A cluster already runs on this data folder (process ${run.supervisor}, ${run.url}).`);
  }
  const left = run.processes.flatMap(({ pid, main }) => (pid !== undefined && runs(pid, main) ? [pid] : []));
  await end(left);
  // Only now, because the processes may need the servers while they drain. PostgreSQL has no `folder` here, as the next
  // start takes the running server over.
  const servers = run.servers.flatMap(({ pid, folder }) =>
    pid !== undefined && folder !== undefined && runs(pid, folder) ? [pid] : [],
  );
  await end(servers);
  return left.length + servers.length;
}

async function end(pids: readonly number[]): Promise<void> {
  for (const pid of pids) process.kill(pid, 'SIGTERM');
  const deadline = performance.now() + PATIENCE_MS;
  while (pids.some(isAlive) && performance.now() < deadline) await pause(100);
}

function readRunFile(path: string): RunFile | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as RunFile;
  } catch {
    return undefined;
  }
}

/**
 * Whether a pid is still the process that was started: the system may have reused the number, so its command line has
 * to match.
 */
function runs(pid: number, script: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(script);
  } catch {
    return false;
  }
}
