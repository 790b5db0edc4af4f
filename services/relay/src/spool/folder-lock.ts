import { createHash } from 'node:crypto';
import { realpathSync, renameSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A socket that is listened on only while its owner lives. Where the system has names outside of the file system, they go with
 * their owner; elsewhere it is a file, and its path is short because sockets allow about a hundred bytes.
 */
function socketOf(folder: string): string {
  const name = `tollgate-spool-${createHash('sha256').update(realpathSync(folder)).digest('hex').slice(0, 24)}`;
  if (process.platform === 'linux') return `\0${name}`;
  return process.platform === 'win32' ? String.raw`\\.\pipe\${name}` : join(tmpdir(), `${name}.sock`);
}

export interface FolderLock {
  release(): Promise<void>;
}

/** Takes a folder for this process; undefined while another live process has it. */
export async function lockFolder(folder: string): Promise<FolderLock | undefined> {
  const path = socketOf(folder);
  let server = await listen(path);
  if (!server && process.platform === 'darwin' && !(await isAlive(path))) {
    bury(path);
    server = await listen(path);
  }
  const taken = server;
  return taken && { release: () => new Promise((resolve) => taken.close(() => resolve())) };
}

/** Its owner died without tidying up. Renamed first, because only one of several that find it so can rename it. */
function bury(path: string): void {
  const grave = `${path}.${process.pid}`;
  try {
    renameSync(path, grave);
    rmSync(grave, { force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function listen(path: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.unref();
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen(path, () => resolve(server));
  });
}

function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
