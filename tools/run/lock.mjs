import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** How long a lock directory may exist without its owner's pid before it counts as abandoned. */
const NAMELESS_MS = 5_000;

/**
 * Runs `work` while no other process holds the directory `lock`, so that commands started together install and build once, one after the
 * other. The lock of a dead process is taken over.
 */
export async function withLock(lock, work, say = () => {}) {
  let told = false;
  while (!take(lock)) {
    if (isAbandoned(lock)) takeAway(lock);
    else {
      if (!told) say('another command is installing or building, waiting for it');
      told = true;
      await pause(200);
    }
  }
  const giveBack = () => {
    if (ownerOf(lock) === process.pid) rmSync(lock, { recursive: true, force: true });
  };
  process.once('exit', giveBack);
  try {
    return await work();
  } finally {
    process.removeListener('exit', giveBack);
    giveBack();
  }
}

function take(lock) {
  mkdirSync(path.dirname(lock), { recursive: true });
  try {
    mkdirSync(lock);
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
  writeFileSync(path.join(lock, 'pid'), String(process.pid));
  return true;
}

/** The pid in the lock; 0 without one, as for a moment after the lock was taken. */
function ownerOf(lock) {
  try {
    return Number(readFileSync(path.join(lock, 'pid'), 'utf8')) || 0;
  } catch {
    return 0;
  }
}

function isAbandoned(lock) {
  const owner = ownerOf(lock);
  return owner > 0 ? !isAlive(owner) : isOld(lock);
}

function isOld(lock) {
  try {
    return Date.now() - statSync(lock).mtimeMs > NAMELESS_MS;
  } catch {
    return false; // released meanwhile
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM'; // alive, but owned by another user
  }
}

/**
 * Removes an abandoned lock. It is renamed first, because only one of several waiting processes can win the rename. The
 * winner may find that another process was quicker and that the lock is a new one already; it gives that one back.
 */
export function takeAway(lock) {
  const grave = `${lock}.${process.pid}`;
  const clear = () => rmSync(grave, { recursive: true, force: true });
  clear();
  try {
    renameSync(lock, grave);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  if (isAbandoned(grave)) return clear();
  try {
    renameSync(grave, lock);
  } catch {
    // A third process has taken the lock in the meantime.
    clear();
  }
}
