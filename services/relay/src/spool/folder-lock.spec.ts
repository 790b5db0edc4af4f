import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { lockFolder } from './folder-lock.js';

/** Like a container, the other process has its own network namespace, so locks by sockets would not work. */
const inOtherNetwork = ['unshare', '--map-root-user', '--net'];
const canLeaveNetwork = spawnSync('unshare', ['--map-root-user', '--net', 'true']).status === 0;

describe('lockFolder', () => {
  let folder: string;
  const children: ChildProcess[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lock-'));
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
    rmSync(`${folder}.lock`, { force: true });
  });

  /** Another process that tries to lock the folder, reports whether it succeeded, and keeps the lock. */
  async function other(...prefix: string[]): Promise<{ child: ChildProcess; hasIt: boolean }> {
    const code = `import { lockFolder } from ${JSON.stringify(join(import.meta.dirname, 'folder-lock.ts'))};
      process.stdout.write(lockFolder(${JSON.stringify(folder)}) ? 'yes' : 'no');
      setInterval(() => undefined, 1000);`;
    const [command = '', ...args] = [...prefix, process.execPath, '--input-type=module', '--eval', code];
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    return { child, hasIt: said.toString() === 'yes' };
  }

  it('has one owner within a process, until it is released', () => {
    const lock = lockFolder(folder);
    expect(lock).toBeDefined();
    expect(lockFolder(folder)).toBeUndefined();
    expect(lockFolder(folder)).toBeUndefined();
    lock?.release();
    const next = lockFolder(folder);
    expect(next).toBeDefined();
    next?.release();
  });

  it('has one owner among processes, and is free at once when that is killed', async () => {
    const { child, hasIt } = await other();
    expect([hasIt, lockFolder(folder)]).toEqual([true, undefined]);
    expect((await other()).hasIt).toBe(false);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const lock = lockFolder(folder);
    expect(lock).toBeDefined();
    expect((await other()).hasIt).toBe(false);
    lock?.release();
  });

  (canLeaveNetwork ? it : it.skip)('has one owner among containers that share its volume', async () => {
    const lock = lockFolder(folder);
    expect((await other(...inOtherNetwork)).hasIt).toBe(false);
    lock?.release();
    expect((await other(...inOtherNetwork)).hasIt).toBe(true);
    expect(lockFolder(folder)).toBeUndefined();
  });

  it('throws with an explanation where the lock cannot be created', () => {
    expect(() => lockFolder(join(folder, 'missing', '0'))).toThrow(/cannot be locked.*missing.*file locks/);
  });

  it('leaves nothing in the folder', () => {
    const lock = lockFolder(folder);
    expect(readdirSync(folder)).toEqual([]);
    lock?.release();
  });
});
