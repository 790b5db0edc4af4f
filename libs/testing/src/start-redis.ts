import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';

export interface TestRedis {
  url: string;
  stop(): Promise<void>;
}

/**
 * In this order: `TEST_REDIS_URL`, Docker if it answers, a `redis-server` installed here; the last two the other way round
 * when data shall stay in a folder. Undefined without any; CI then fails.
 */
export async function startRedis(folder?: string): Promise<TestRedis | undefined> {
  const given = process.env.TEST_REDIS_URL;
  if (given && folder === undefined) return { url: given, stop: () => Promise.resolve() };
  const server =
    folder === undefined
      ? ((await fromDocker()) ?? (await fromBinary()))
      : ((await fromBinary(folder)) ?? (await fromDocker()));
  if (!server && process.env.CI === 'true')
    throw new Error('No Redis for the tests: set TEST_REDIS_URL or install redis-server.');
  return server;
}

async function fromDocker(): Promise<TestRedis | undefined> {
  if (!answers('docker', ['info'])) return undefined;
  const { RedisContainer } = await import('@testcontainers/redis');
  const container = await new RedisContainer('redis:7-alpine').start();
  return {
    url: container.getConnectionUrl(),
    stop: async () => {
      await container.stop();
    },
  };
}

async function fromBinary(folder?: string): Promise<TestRedis | undefined> {
  if (!answers('redis-server', ['--version'])) return undefined;
  const port = await freePort();
  if (folder !== undefined) mkdirSync(folder, { recursive: true });
  const data = folder === undefined ? ['--save', '', '--appendonly', 'no'] : ['--dir', folder, '--appendonly', 'yes'];
  // With a folder it outlives Ctrl-C in the terminal: processes that still drain need it.
  const options = { stdio: 'ignore', detached: folder !== undefined } as const;
  const child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', ...data], options);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const killOnExit = (): void => void child.kill('SIGKILL');
  process.on('exit', killOnExit);
  await untilReady(port);
  return {
    url: `redis://127.0.0.1:${port}`,
    stop: async () => {
      process.off('exit', killOnExit);
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function answers(command: string, args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore', timeout: 3_000 });
    return true;
  } catch {
    return false;
  }
}

async function untilReady(port: number): Promise<void> {
  const redis = new Redis(port, '127.0.0.1', { lazyConnect: true, retryStrategy: () => 50 });
  redis.on('error', () => undefined);
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if ((await redis.ping().catch(() => '')) === 'PONG') break;
    await pause(50);
  }
  redis.disconnect();
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
