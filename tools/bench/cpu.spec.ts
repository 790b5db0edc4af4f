import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readUntil } from '@tollgate/testing';
import { whileStopped } from './cpu.js';

const stateOf = (pid: number): string => /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? '';

/** The kernel stops a process, and lets it go on, a moment after the signal. */
const reaches = (pid: number, state: string): Promise<unknown> =>
  readUntil(
    () => stateOf(pid),
    (now) => now === state,
  );

describe('whileStopped', () => {
  let sleeper: ChildProcess;
  let pid: number;
  beforeEach(async () => {
    sleeper = spawn('sleep', ['60']);
    await new Promise((resolve) => sleeper.once('spawn', resolve));
    pid = sleeper.pid ?? 0;
  });
  afterEach(() => void sleeper.kill('SIGKILL'));

  it('lets the processes go on afterwards, also where the work failed', async () => {
    const failing = async (): Promise<never> => {
      await reaches(pid, 'T');
      throw new Error('no load');
    };
    await expect(whileStopped([pid], failing)).rejects.toThrow('no load');
    await reaches(pid, 'S');
  });

  it('leaves out what is gone', async () => {
    const gone = spawn('true');
    await new Promise((resolve) => gone.once('exit', resolve));
    await whileStopped([gone.pid ?? 0, pid], () => reaches(pid, 'T'));
    await reaches(pid, 'S');
  });

  it('stops no group of processes', async () => {
    await expect(whileStopped([0], () => Promise.resolve())).rejects.toThrow('0 is no process');
  });
});
