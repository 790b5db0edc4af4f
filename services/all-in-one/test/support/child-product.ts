import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../../../..');
export const MAIN = join(ROOT, 'dist/bundle/all-in-one/main.js');
const READY_MS = 120_000;
const READY = /Tollgate is ready at (http:\/\/\S+)/;

export interface ChildProduct {
  url: string;
  pid: number;
  /** SIGKILL: the process cannot clean up. */
  kill(): Promise<void>;
  /** SIGTERM or another signal; resolves to the exit code after a full drain. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/**
 * Starts the whole product as a separate process by the program that `npm start` runs. Without a URL it starts its own
 * database.
 */
export async function startChild(
  databaseUrl: string | undefined,
  dataDir: string,
  {
    environment = {},
    args = [MAIN],
    cwd = ROOT,
  }: { environment?: Record<string, string>; args?: string[]; cwd?: string } = {},
): Promise<ChildProduct> {
  if (!existsSync(MAIN)) throw new Error(`${MAIN} is missing: \`npm run build\` makes it.`);
  const env = {
    ...process.env,
    PORT: '0',
    HOST: '127.0.0.1',
    DATABASE_URL: databaseUrl,
    TOLLGATE_DATA_DIR: dataDir,
    TOLLGATE_RATE_LIMITS: 'off',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'warn',
    ...environment,
  };
  // The IPC channel closes when this process dies, and the product then drains.
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const ended = new Promise<number | null>((done) => child.once('exit', done));
  const url = (await readyAddress(child)).replace('localhost', '127.0.0.1');
  return {
    url,
    pid: child.pid ?? 0,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return ended;
    },
  };
}

function readyAddress(child: ChildProcess): Promise<string> {
  return new Promise((done, fail) => {
    let said = '';
    const timer = setTimeout(() => child.kill('SIGKILL'), READY_MS);
    const listen = (chunk: Buffer): void => {
      said += chunk.toString();
      const address = READY.exec(said)?.[1];
      if (address === undefined) return;
      clearTimeout(timer);
      done(address);
    };
    child.stdout?.on('data', listen);
    child.stderr?.on('data', listen);
    child.once('exit', () => {
      clearTimeout(timer);
      fail(new Error(`the product ended before it was ready: ${said}`));
    });
  });
}
