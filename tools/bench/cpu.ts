import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, setPriority } from 'node:os';

/** Linux counts CPU time for programs in hundredths of a second, whatever the kernel's own tick is. */
const TICKS_PER_SECOND = 100;

/** State, parent and so on, as proc(5) counts them from the third field. */
function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The command's name may hold spaces and brackets.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

const secondsIn = (fields: readonly string[], ...places: number[]): number =>
  places.reduce((sum, place) => sum + Number(fields[place]), 0) / TICKS_PER_SECOND;

/** CPU seconds of all threads of a process, in user and kernel mode. */
export const cpuSeconds = (pid: number): number => secondsIn(statOf(pid), 11, 12);

/** The same for a server of many processes: those of its children count, also of children that ended. */
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

/** Lets a process and all that it started run only while the others wait: threads count by themselves on Linux. */
export function stepBack(pid: number): void {
  for (const thread of threadsOf(pid)) setPriority(Number(thread), LOWEST_PRIORITY);
  for (const child of childrenOf(pid)) stepBack(child);
}

export function residentMegabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes ?? 0) / 1024;
}

/** The same for a server of many processes; memory that they share counts for each. */
export const treeMegabytes = (pid: number): number =>
  childrenOf(pid).reduce((sum, child) => sum + treeMegabytes(child), residentMegabytes(pid));

/** The first core is for the process that is measured, the second for all else. */
export const MEASURED_CORE = 0;
export const OTHER_CORE = 1;

/** Keeps a process, and what it starts from now on, on one core; false where that cannot be done. */
export function pin(pid: number, core: number): boolean {
  if (availableParallelism() < 2 && core === OTHER_CORE) return false;
  try {
    execFileSync('taskset', ['-acp', String(core), String(pid)], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
