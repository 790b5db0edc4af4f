import { type ChildProcess, fork, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
// eslint-disable-next-line @nx/enforce-module-boundaries -- the library's root also loads test suites, which only jest can
import { endWithUs } from '../../libs/testing/src/end-with-us.js';
import { allocatorOf, nodeFlagsOf } from '../cluster/node-flags.js';
import type { Order, Outcome } from './load.js';

const READY_MS = 180_000;
const PROBE_MS = 100;

export interface Program {
  pid: number;
  port: number;
  stop(): Promise<void>;
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((done) => {
    child.once('exit', () => done());
    child.once('error', () => done());
  });
}

const message = <T>(child: ChildProcess): Promise<T> =>
  new Promise((done, reject) => {
    const onExit = (code: number | null): void => reject(new Error(`${child.spawnargs[1]} ended with ${code}`));
    child.once('exit', onExit);
    child.once('message', (value) => {
      child.off('exit', onExit);
      done(value as T);
    });
  });

/** Starts a program of this folder, which reports its port and ends with this process. */
export async function startOwn(name: string, args: string[] = []): Promise<Program> {
  const child = fork(join(import.meta.dirname, `${name}.js`), args);
  const gone = ended(child);
  // A process that stands still would not notice that this one is gone.
  const release = endWithUs(child.pid ?? 0);
  const { port } = await message<{ port: number }>(child);
  return {
    pid: child.pid ?? 0,
    port,
    async stop() {
      child.disconnect();
      await gone;
      release();
    },
  };
}

export interface LoadProgram {
  run(order: Order): Promise<Outcome>;
  stop(): Promise<void>;
}

export function startLoad(): LoadProgram {
  const child = fork(join(import.meta.dirname, 'load.js'));
  const gone = ended(child);
  return {
    run(order) {
      const outcome = message<Outcome>(child);
      child.send(order);
      return outcome;
    },
    async stop() {
      child.disconnect();
      await gone;
    },
  };
}

interface ServiceOrder {
  service: string;
  port: number;
  environment: Record<string, string>;
  logFolder: string;
  nodeFlags?: string[];
  /** A program of this folder to run instead of the service's own `main`. */
  main?: string;
}

/** Starts a service with the same flags as `npm start` and `npm run cluster` use. */
export function startService({
  service,
  port,
  environment,
  logFolder,
  nodeFlags = [],
  main: own,
}: ServiceOrder): Program & {
  ready(): Promise<void>;
} {
  const main = resolve(import.meta.dirname, own ? `${own}.js` : `../../bundle/${service}/main.js`);
  const logName = join(logFolder, `${own ?? service}.log`);
  const log = openSync(logName, 'a');
  const env = { ...allocatorOf(service), ...process.env, ...environment, PORT: String(port), HOST: '127.0.0.1' };
  const child = spawn(process.execPath, [...nodeFlagsOf(service), ...nodeFlags, main], {
    env,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const gone = ended(child);
  let isGone = false;
  void gone.then(() => (isGone = true));
  const release = endWithUs(child.pid ?? 0);
  return {
    pid: child.pid ?? 0,
    port,
    async ready() {
      const deadline = performance.now() + READY_MS;
      for (;;) {
        const isReady = await fetch(`http://127.0.0.1:${port}/readyz`).then(
          ({ status }) => status === 200,
          () => false,
        );
        if (isReady) return;
        if (isGone || performance.now() > deadline) throw new Error(`${service} is not ready, see ${logName}`);
        await pause(PROBE_MS);
      }
    },
    async stop() {
      child.kill('SIGTERM');
      await gone;
      release();
    },
  };
}
