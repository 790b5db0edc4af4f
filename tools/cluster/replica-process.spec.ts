import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:net';
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
});
