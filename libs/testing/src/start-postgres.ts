import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@tollgate/chassis';
import { startEmbeddedPostgres } from '@tollgate/embedded';
import { Client } from 'pg';

/** A server for one run of the tests; its user may create databases and roles. */
export interface TestServer {
  url: string;
  stop(): Promise<void>;
}

const log = Logger.root('silent');
const DEBIAN_SERVERS = '/usr/lib/postgresql';

/** In this order: `TEST_DATABASE_URL`, Docker if it answers, a server installed here, the one of the npm package. */
export async function startPostgres(): Promise<TestServer | { missing: string }> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return fromEnvironment(given);
  const reasons: string[] = [];
  const attempts = [
    fromDocker,
    ...localInstallations().map((installation) => () => throwAway(installation)),
    () => throwAway(),
  ];
  for (const attempt of attempts) {
    try {
      const server = await attempt();
      if (server) return server;
    } catch (error) {
      reasons.push((error as Error).message);
    }
  }
  return { missing: reasons.join('; ') || 'TEST_DATABASE_URL is not set' };
}

async function fromEnvironment(url: string): Promise<TestServer> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.end();
  return { url, stop: () => Promise.resolve() };
}

async function fromDocker(): Promise<TestServer | undefined> {
  try {
    execFileSync('docker', ['info'], { stdio: 'ignore', timeout: 3_000 });
  } catch {
    return undefined;
  }
  const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
  const container = await new PostgreSqlContainer('postgres:18-alpine')
    .withCommand(['postgres', '-c', 'fsync=off', '-c', 'max_connections=400'])
    .start();
  return {
    url: container.getConnectionUri(),
    stop: async () => {
      await container.stop();
    },
  };
}

function localInstallations(): string[] {
  if (!existsSync(DEBIAN_SERVERS)) return [];
  const versions = readdirSync(DEBIAN_SERVERS).sort((a, b) => Number(b) - Number(a));
  return versions
    .map((version) => join(DEBIAN_SERVERS, version))
    .filter((installation) => existsSync(join(installation, 'bin', 'initdb')));
}

/** A cluster in a temporary folder that the server's user can enter, gone after the run. */
async function throwAway(installation?: string): Promise<TestServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-test-'));
  chmodSync(dataDir, 0o755);
  const forget = (): void => rmSync(dataDir, { recursive: true, force: true });
  try {
    const server = await startEmbeddedPostgres({ dataDir, log, throwAway: true, installation });
    return {
      url: server.url,
      stop: async () => {
        await server.stop();
        forget();
      },
    };
  } catch (error) {
    forget();
    throw error;
  }
}
