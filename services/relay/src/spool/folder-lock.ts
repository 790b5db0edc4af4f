import { DatabaseSync } from 'node:sqlite';

/** What SQLite answers when another connection or process has the lock; variants are in the higher bits. */
const BUSY = 5;

export interface FolderLock {
  release(): void;
}

/**
 * Takes a folder for this process; undefined while another live process has it, in whichever container it runs. The lock is
 * the operating system's, on a file beside the folder, so it ends with its process and needs neither clock nor heartbeat. Node
 * has no call for such locks, but the SQLite in it takes them for a database, which stays empty here. The file is never
 * deleted: two processes could each lock one of that name.
 */
export function lockFolder(folder: string): FolderLock | undefined {
  const file = `${folder}.lock`;
  let database: DatabaseSync | undefined;
  try {
    const opened = (database = new DatabaseSync(file));
    // Its journal in memory, so that no other file appears.
    opened.exec('pragma journal_mode = memory; begin exclusive');
    return { release: () => opened.close() };
  } catch (error) {
    database?.close();
    if (((error as { errcode?: number }).errcode ?? 0) % 256 === BUSY) return undefined;
    throw new Error(
      `The spool folder cannot be locked by ${file}. It must be possible to write there, and the file system must know file locks.`,
      {
        cause: error,
      },
    );
  }
}
