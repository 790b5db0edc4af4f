import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** Linux counts CPU time for programs in hundredths of a second, whatever the kernel's own tick is. */
const TICKS_PER_SECOND = 100;

/** CPU seconds of all threads of a process, in user and kernel mode. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The command's name may hold spaces; the fields behind its bracket start with the state.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

export function residentMegabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes ?? 0) / 1024;
}

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
