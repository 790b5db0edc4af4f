import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';

const SERVER = `
  process.on('SIGTERM', () => { console.log('told'); process.exit(0); });
  setInterval(() => undefined, 1000);
  console.log('up');`;

interface Parent {
  process: ChildProcessByStdio<null, Readable, null>;
  /** Pid of the server. */
  pid: number;
  /** Resolves when the server or its parent has printed this. */
  says(words: string): Promise<void>;
}

/**
 * Starts a process that starts a server and then runs `then` with its `pid`. Both write to the same output, which
 * closes when both have ended.
 */
async function start(then: string): Promise<Parent> {
  const code = `
    import { spawn } from 'node:child_process';
    const { endWithUs } = await import(${JSON.stringify(join(import.meta.dirname, 'end-with-us.ts'))});
    const { pid } = spawn(process.execPath, ['-e', ${JSON.stringify(SERVER)}], { stdio: 'inherit', detached: true });
    ${then}
    console.log('started ' + pid + '.');
    setInterval(() => undefined, 1000);`;
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e'];
  const parent = spawn(process.execPath, [...flags, code], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  parent.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const says = async (words: string): Promise<void> => {
    while (!output.includes(words)) await once(parent.stdout, 'data');
  };
  await says('up');
  await says('.');
  return { process: parent, pid: Number(/started (\d+)/.exec(output)?.[1]), says };
}

describe('endWithUs', () => {
  it.each(['SIGKILL', 'SIGTERM'] as const)('ends the process when this one ends by %s', async (signal) => {
    const { process: parent } = await start('endWithUs(pid);');
    const closed = once(parent, 'close');
    parent.kill(signal);
    expect(await closed).toEqual([null, signal]);
  });

  it('ends it with the requested signal', async () => {
    const { process: parent, says } = await start(`endWithUs(pid, { signal: 'SIGTERM' });`);
    parent.kill('SIGKILL');
    await says('told');
  });

  it('does not end it after the watch was removed', async () => {
    const { process: parent, pid, says } = await start(`endWithUs(pid)();`);
    const ended = once(parent, 'exit');
    parent.kill('SIGKILL');
    await ended;
    process.kill(pid, 'SIGTERM');
    await says('told');
  });
});
