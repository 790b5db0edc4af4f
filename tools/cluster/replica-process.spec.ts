import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'replica-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A replica that opens a connection to report that it is up, and reports on it when its IPC channel closes. */
const MAIN = `
  import { connect } from 'node:net';
  const told = connect(process.env.TOLD, '127.0.0.1', () => told.write('up'));
  process.once('disconnect', () => told.end('alone', () => process.exit(0)));`;

/** A replica that dies while connections are on their way to it: when the first one has told it to. */
const MORTAL = `
  import { createServer } from 'node:net';
  createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (word) => {
      if (String(word) !== 'die') return socket.end('served');
      const until = performance.now() + 100;
      while (performance.now() < until);
      process.kill(process.pid, 'SIGKILL');
    });
  }).listen(Number(process.env.PORT), '127.0.0.1', () => process.send('listening'));
  process.once('disconnect', () => process.exit(0));`;

const gateways = (port: number): string => `
  const { allowTypeScript } = await import(${JSON.stringify(join(import.meta.dirname, '../../libs/testing/src/typescript-hooks.ts'))});
  allowTypeScript();
  const { ReplicaProcess } = await import(${JSON.stringify(join(import.meta.dirname, 'replica-process.ts'))});
  for (const name of ['gateway-1', 'gateway-2']) {
    const plan = { name, service: 'gateway', port: ${port}, probePort: 1, log: '${folder}/log', main: '${folder}/main.mjs' };
    new ReplicaProcess({ ...plan, environment: { PORT: '${port}' } }, () => undefined).start();
  }`;

/** What comes back for the word; `open` if the connection has not ended after this many milliseconds. */
const answerOf = (port: number, word = 'hello', ms = 5000): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(word));
    let heard = '';
    socket.on('data', (chunk: Buffer) => (heard += chunk.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(heard));
    socket.setTimeout(ms, () => {
      resolve('open');
      socket.destroy();
    });
  });

async function untilServed(port: number, supervisor: ChildProcess): Promise<void> {
  while ((await answerOf(port)) !== 'served') {
    if (supervisor.exitCode !== null) throw new Error('the supervisor has ended');
    await pause(50);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const supervisor = (told: number): string => `
  const { allowTypeScript } = await import(${JSON.stringify(join(import.meta.dirname, '../../libs/testing/src/typescript-hooks.ts'))});
  allowTypeScript();
  const { ReplicaProcess } = await import(${JSON.stringify(join(import.meta.dirname, 'replica-process.ts'))});
  const plan = { name: 'relay-1', service: 'relay', port: 1, probePort: 1, log: '${folder}/log', main: '${folder}/main.mjs' };
  new ReplicaProcess({ ...plan, environment: { TOLD: '${told}' } }, () => undefined).start();`;

describe('ReplicaProcess', () => {
  it('notifies the replica when its parent was killed', async () => {
    writeFileSync(join(folder, 'main.mjs'), MAIN);
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e'];
    const parent = spawn(process.execPath, [...flags, supervisor(port)], { stdio: ['ignore', 'inherit', 'inherit'] });
    try {
      const [replica] = (await once(server, 'connection')) as [NodeJS.ReadableStream];
      const heard: string[] = [];
      replica.on('data', (chunk: Buffer) => {
        heard.push(chunk.toString());
        parent.kill('SIGKILL');
      });
      await once(replica, 'end');
      expect(heard).toEqual(['up', 'alone']);
    } finally {
      parent.kill('SIGKILL');
      server.close();
    }
  });

  it('leaves no connection without an end when a gateway that shares the port is killed', async () => {
    writeFileSync(join(folder, 'main.mjs'), MORTAL);
    const port = await freePort();
    const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e'];
    const parent = spawn(process.execPath, [...flags, gateways(port)], { stdio: ['ignore', 'inherit', 'ignore'] });
    try {
      await untilServed(port, parent);
      const calls = Array.from({ length: 40 }, (_, index) => answerOf(port, index === 0 ? 'die' : 'hello'));
      expect(await Promise.all(calls)).not.toContain('open');
      await untilServed(port, parent);
    } finally {
      parent.kill('SIGKILL');
    }
  });
});
