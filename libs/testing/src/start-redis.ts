import { execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';

export interface TestRedis {
  url: string;
  stop(): Promise<void>;
}

/** In this order: `TEST_REDIS_URL`, Docker if it answers, a `redis-server` installed here. Undefined without any; CI then fails. */
export async function startRedis(): Promise<TestRedis | undefined> {
  const given = process.env.TEST_REDIS_URL;
  if (given) return { url: given, stop: () => Promise.resolve() };
  const server = (await fromDocker()) ?? (await fromBinary());
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

async function fromBinary(): Promise<TestRedis | undefined> {
  if (!answers('redis-server', ['--version'])) return undefined;
  const port = await freePort();
  const child = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    { stdio: 'ignore' },
  );
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await untilReady(port);
  return {
    url: `redis://127.0.0.1:${port}`,
    stop: async () => {
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
