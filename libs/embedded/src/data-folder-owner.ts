import { open, readFile, rm } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Owner {
  pid: number;
  /** Start time of the process, which tells it from a later one with the same pid. */
  startedAt: string;
}

/**
 * The start time from field 22 of `/proc/<pid>/stat`. Empty on other systems, where only the pid identifies the
 * process.
 */
function startOf(pid: number): string {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return status.slice(status.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

/** Whether a process with this id runs, whoever owns it. A zombie does not count. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  try {
    // A process that has ended but was not waited for is a zombie.
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return status.slice(status.lastIndexOf(')') + 2)[0] !== 'Z';
  } catch {
    return true;
  }
}

/**
 * Makes this process the only one that starts and stops the database of a data folder; the claim of a killed process is taken over.
 * Resolves with a function that releases the claim.
 */
export async function claimDataFolder(dataDir: string): Promise<() => Promise<void>> {
  const path = join(dataDir, 'postgres.owner');
  const self: Owner = { pid: process.pid, startedAt: startOf(process.pid) };
  for (let attempt = 0; attempt < 5; attempt += 1) {
    try {
      const file = await open(path, 'wx', 0o600);
      await file.writeFile(JSON.stringify(self));
      await file.close();
      return () => rm(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const owner = await readOwner(path);
    if (owner && isAlive(owner.pid) && startOf(owner.pid) === owner.startedAt) {
      throw new Error(
        `Process ${owner.pid} already runs on the data folder ${dataDir}. Stop it, or set TOLLGATE_DATA_DIR to another folder.`,
      );
    }
    await rm(path, { force: true });
  }
  throw new Error(`The data folder ${dataDir} is being claimed by several processes at once. Start one of them.`);
}

async function readOwner(path: string): Promise<Owner | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Owner;
  } catch {
    return undefined;
  }
}
