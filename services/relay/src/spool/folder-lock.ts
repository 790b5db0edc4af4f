import { createHash } from 'node:crypto';
import { realpathSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A socket that is listened on only while its owner lives; the path is short because sockets allow about a hundred bytes. */
const socketOf = (folder: string): string =>
  join(tmpdir(), `tollgate-spool-${createHash('sha256').update(realpathSync(folder)).digest('hex').slice(0, 24)}.sock`);

export interface FolderLock {
  release(): Promise<void>;
}

/** Takes a folder for this process; undefined while another live process has it. */
export async function lockFolder(folder: string): Promise<FolderLock | undefined> {
  const path = socketOf(folder);
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const server = await listen(path);
    if (server) return { release: () => new Promise((resolve) => server.close(() => resolve())) };
    if (await isAlive(path)) return undefined;
    // Its owner died without tidying up.
    rmSync(path, { force: true });
  }
  return undefined;
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
