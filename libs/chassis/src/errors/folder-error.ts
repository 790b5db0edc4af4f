import { AppError } from './app-error.js';

/** What to throw when the data folder, or one in it, cannot be written; an error of another kind as it is. */
export function folderError(folder: string, cause: unknown): unknown {
  // Only errors of the operating system have it.
  const { syscall, message } = cause as NodeJS.ErrnoException;
  if (syscall === undefined) return cause;
  const explanation = `${folder} cannot be used: ${message}. TOLLGATE_DATA_DIR must be a folder that has room and that the user of this process may write to.`;
  return new AppError('unavailable', 'folder-unusable', explanation, { cause });
}
