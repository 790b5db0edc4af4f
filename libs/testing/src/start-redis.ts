import { execFileSync } from 'node:child_process';
import { LocalRedis } from './local-redis.js';

interface TestRedis {
  url: string;
  /** Present if the server is a local process, which a test can stop and start. */
  local?: LocalRedis;
  stop(): Promise<void>;
}

/**
 * Starts a server. It tries `TEST_REDIS_URL`, then Docker, then a local `redis-server`; with a folder for the data only
 * the latter two, the local one first. Resolves to undefined if there is none; in CI suites then fail.
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
  const local = await LocalRedis.open({ folder });
  await local.start();
  return { url: local.url, local, stop: () => local.stop() };
}

function answers(command: string, args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore', timeout: 3_000 });
    return true;
  } catch {
    return false;
  }
}
