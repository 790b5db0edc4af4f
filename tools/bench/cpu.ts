import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/** The unit of CPU times in /proc (USER_HZ), which is 100 on Linux whatever the tick of the kernel is. */
const TICKS_PER_SECOND = 100;

/** Fields of `/proc/<pid>/stat` from the third one on (state, parent, …; see proc(5)). */
function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The command name in the second field may contain spaces and brackets.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

const secondsIn = (fields: readonly string[], ...places: number[]): number =>
  places.reduce((sum, place) => sum + Number(fields[place]), 0) / TICKS_PER_SECOND;

/** CPU seconds of all threads of a process, in user and kernel mode. */
export const cpuSeconds = (pid: number): number => secondsIn(statOf(pid), 11, 12);

/** CPU seconds of a process and all its descendants, including children that have ended. */
export function treeCpuSeconds(pid: number): number {
  const own = secondsIn(statOf(pid), 11, 12, 13, 14);
  return childrenOf(pid).reduce((sum, child) => sum + treeCpuSeconds(child), own);
}

function childrenOf(pid: number): number[] {
  return threadsOf(pid).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
}

const threadsOf = (pid: number): string[] => readdirSync(`/proc/${pid}/task`);

const LOWEST_PRIORITY = 19;

/**
 * Gives a process and its descendants the lowest scheduling priority. On Linux the priority is a property of each
 * thread.
 */
export function stepBack(pid: number): void {
  for (const thread of threadsOf(pid)) setPriority(Number(thread), LOWEST_PRIORITY);
  for (const child of childrenOf(pid)) stepBack(child);
}

/** Milliseconds that processes get to do what was due while they stood still. */
const CATCH_UP_MS = 2000;

/** Returns false where the process is gone. */
function signal(pid: number, name: NodeJS.Signals): boolean {
  // Zero and less stand for groups of processes.
  if (pid <= 0) throw new Error(`${pid} is no process`);
  try {
    return process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/**
 * Runs `work` while some processes stand still, because each of them collects garbage some time after its own turn, on
 * the measured core. Only for a few seconds: a process that stands still for ten loses its partitions of Kafka.
 */
export async function whileStopped<T>(pids: readonly number[], work: () => Promise<T>): Promise<T> {
  const stopped: number[] = [];
  try {
    for (const pid of pids) if (signal(pid, 'SIGSTOP')) stopped.push(pid);
    return await work();
  } finally {
    for (const pid of stopped) signal(pid, 'SIGCONT');
    await pause(CATCH_UP_MS);
  }
}

export function residentMegabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes ?? 0) / 1024;
}

/** Resident megabytes of a process and all its descendants; memory that they share is counted once for each. */
export const treeMegabytes = (pid: number): number =>
  childrenOf(pid).reduce((sum, child) => sum + treeMegabytes(child), residentMegabytes(pid));

/** Core of the process under measurement, and core of everything else. */
export const MEASURED_CORE = 0;
export const OTHER_CORE = 1;

/** Pins a process and the children it starts from now on to one core. Returns false where that is not possible. */
export function pin(pid: number, core: number): boolean {
  if (availableParallelism() < 2 && core === OTHER_CORE) return false;
  try {
    execFileSync('taskset', ['-acp', String(core), String(pid)], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
