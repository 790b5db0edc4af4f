import { randomInt } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from './data-folder-owner.js';

/**
 * Below the ephemeral ports, one of which an outgoing connection could take before the listener does, and below the node ports of
 * Kubernetes.
 */
const FIRST = 20_000;
const LAST = 29_999;
const MOST_TRIES = 1_000;

/** Whether a port of the loopback address is free now. */
export async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen({ port, host: '127.0.0.1', exclusive: true }, resolve);
    });
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}

/** A free port of the loopback address that is not claimed by another living process on this machine. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const port = randomInt(FIRST, LAST + 1);
    if (claimPort(join(tmpdir(), 'tollgate-ports'), port) && (await isFree(port))) return port;
  }
  throw new Error(`no free port between ${FIRST} and ${LAST}`);
}

/**
 * Claims a port with a file in the folder. Returns false when a living process has claimed it, and true when the folder cannot be written.
 */
export function claimPort(folder: string, port: number): boolean {
  const file = join(folder, String(port));
  try {
    mkdirSync(folder, { recursive: true });
  } catch {
    return true;
  }
  try {
    const owner = ownerOf(file);
    if (owner === undefined || !isAlive(owner)) rmSync(file, { force: true });
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EEXIST';
  }
}

function ownerOf(file: string): number | undefined {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}
