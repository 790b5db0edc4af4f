import { DatabaseSync } from 'node:sqlite';

/** SQLite's result code when another connection or process has the lock; the higher bits hold its variants. */
const BUSY = 5;

export interface FolderLock {
  release(): void;
}

/**
 * Locks a folder for this process; `undefined` while another live process has it, in whichever container it runs. It is
 * a lock of the operating system, on a file beside the folder, so it ends with its process and needs neither clock nor
 * heartbeat. Node has no API for such locks, but its built-in SQLite locks database files with them; the database
 * itself stays empty. The file is never deleted, because then two processes could each lock a file of that name.
 */
export function lockFolder(folder: string): FolderLock | undefined {
  const file = `${folder}.lock`;
  let database: DatabaseSync | undefined;
  try {
    const opened = (database = new DatabaseSync(file));
    // The rollback journal is kept in memory, so that no second file appears.
    opened.exec('pragma journal_mode = memory; begin exclusive');
    return { release: () => opened.close() };
  } catch (error) {
    database?.close();
    if (((error as { errcode?: number }).errcode ?? 0) % 256 === BUSY) return undefined;
    throw new Error(
      `The spool folder cannot be locked by ${file}. It must be possible to write there, and the file system must know file locks; otherwise set TOLLGATE_DATA_DIR to another folder.`,
      {
        cause: error,
      },
    );
  }
}
